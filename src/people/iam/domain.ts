import './probes-schema.ts';
import './staff-schema.ts';
import './users-schema.ts';
import type { Domain } from '../../domain.ts';

export const iamDomain = {
  name: 'iam',
  idPrefixes: { membership: 'mem_' },
} as const satisfies Domain;
