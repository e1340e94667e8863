import './schema.ts';
import type { Domain } from '../../domain.ts';

export const auditDomain = {
  name: 'audit',
  idPrefixes: { audit: 'aud_' },
} as const satisfies Domain;
