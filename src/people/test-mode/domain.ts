import './clocks-schema.ts';
import './processors-schema.ts';
import type { Domain } from '../../domain.ts';

export const testModeDomain = {
  name: 'test-mode',
} as const satisfies Domain;
