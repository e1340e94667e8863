import './accounts/schema.ts';
import './payment-schema.ts';
import './customers-schema.ts';
import './ledger-schema.ts';
import './figures-schema.ts';
import './search/schema.ts';
import './jobs/schema.ts';
import './keys/schema.ts';
import './kyb/schema.ts';
import './subscriptions-schema.ts';
import './unapplied-events-schema.ts';
import type { Domain } from '../../domain.ts';

export const operatorsDomain = {
  name: 'operators',
  idPrefixes: { partnerKeyRequest: 'kreq_' },
} as const satisfies Domain;
