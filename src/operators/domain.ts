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
import './refund-requests/limits-schema.ts';
import './refund-requests/schema.ts';
import './exports/schema.ts';
import './saved-views/schema.ts';
import type { Domain } from '../domain.ts';
import type { Services } from '../services.ts';
import { expireRefundRequests } from './refund-requests/end-refund-request.ts';

export const operatorsDomain = {
  name: 'operators',
  idPrefixes: {
    partnerKeyRequest: 'kreq_',
    refundRequest: 'rreq_',
    refundLimit: 'rlim_',
    export: 'exp_',
    savedView: 'view_',
  },
  jobs: (services: Services) => [
    { name: 'expire-refund-requests', everyMs: 60_000, run: (stopping) => expireRefundRequests(services, stopping) },
  ],
} as const satisfies Domain;
