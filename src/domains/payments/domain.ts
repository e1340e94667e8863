import './schema.ts';
import type { Domain } from '../../domain.ts';
import type { Job } from '../../runtime/jobs.ts';
import type { Services } from '../../services.ts';
import { clockDrivenPayments } from './clock-driven.ts';
import { expireAuthorizations } from './expire-authorizations.ts';
import { expireChallenges } from './expire-challenges.ts';
import { failTestRefunds } from './fail-test-refunds.ts';
import { resolveUnknownPayments } from './resolve-unknown-payments.ts';

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
    'payment/refund_failed',
  ],
  jobs: (services: Services): Job[] => [
    { name: 'resolve-unknown-payments', everyMs: 5_000, run: (stopping) => resolveUnknownPayments(services, stopping) },
    { name: 'fail-test-refunds', everyMs: 5_000, run: (stopping) => failTestRefunds(services, stopping) },
    { name: 'expire-challenges', everyMs: 5_000, run: (stopping) => expireChallenges(services, stopping) },
    { name: 'expire-authorizations', everyMs: 5_000, run: (stopping) => expireAuthorizations(services, stopping) },
  ],
  clockDriven: clockDrivenPayments,
} as const satisfies Domain;
