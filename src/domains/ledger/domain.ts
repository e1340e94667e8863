import './schema.ts';
import type { Domain } from '../../domain.ts';

export const ledgerDomain = {
  name: 'ledger',
} as const satisfies Domain;
