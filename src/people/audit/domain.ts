import './schema.ts';
import type { Domain } from '../../domain.ts';
import { anchorAudit } from './anchors.ts';

export const auditDomain = {
  name: 'audit',
  idPrefixes: { audit: 'aud_', auditVerification: 'audv_' },
  jobs: (services) => [{ name: 'anchor-audit-log', everyMs: 60_000, run: () => anchorAudit(services) }],
} as const satisfies Domain;
