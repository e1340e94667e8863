import './schema.ts';
import type { Domain } from '../../domain.ts';

export const exportsDomain = {
  name: 'exports',
  idPrefixes: { export: 'exp_' },
} as const satisfies Domain;
