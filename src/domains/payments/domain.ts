import './schema.ts';
import type { Domain } from '../../domain.ts';
import type { Job } from '../../jobs/jobs.ts';
import type { Services } from '../../services.ts';
import { clockDrivenPayments, expireAuthorizations, expireChallenges } from './resolution/expire.ts';
import { failTestRefunds } from './resolution/notices.ts';
import { resolveUnknownPayments } from './resolution/resolve.ts';

export const paymentsDomain = {
  name: 'payments',
  reference: {
    title: 'Payments',
    description:
      'Charge, authorize, capture, void and refund. A declined charge is a successful answer: read `status`.',
  },
  idPrefixes: { payment: 'pay_', transaction: 'txn_', refund: 'ref_', threeDsSession: 'threeds_' },
  eventTypes: [
    'payment/created',
    'payment/actionRequired',
    'payment/authorized',
    'payment/succeeded',
    'payment/rejected',
    'payment/failed',
    'payment/captured',
    'payment/voided',
    'payment/refunded',
    'payment/refundFailed',
  ],
  jobs: (services: Services): Job[] => [
    { name: 'resolve-unknown-payments', everyMs: 5_000, run: (stopping) => resolveUnknownPayments(services, stopping) },
    { name: 'fail-test-refunds', everyMs: 5_000, run: (stopping) => failTestRefunds(services, stopping) },
    { name: 'expire-challenges', everyMs: 5_000, run: (stopping) => expireChallenges(services, stopping) },
    { name: 'expire-authorizations', everyMs: 5_000, run: (stopping) => expireAuthorizations(services, stopping) },
  ],
  clockDriven: clockDrivenPayments,
} as const satisfies Domain;
