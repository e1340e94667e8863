import './limits-schema.ts';
import './schema.ts';
import './schema.ts';
import type { Domain } from '../../domain.ts';
import type { Job } from '../../jobs/jobs.ts';
import type { Services } from '../../services.ts';
import { expireRefundRequests } from './end-refund-request.ts';

export const refundRequestsDomain = {
  name: 'refund-requests',
  idPrefixes: { refundRequest: 'rreq_', refundLimit: 'rlim_' },
  jobs: (services: Services): Job[] => [
    { name: 'expire-refund-requests', everyMs: 60_000, run: (stopping) => expireRefundRequests(services, stopping) },
  ],
} as const satisfies Domain;
