import { forgetConnectAttempts } from './connect/operations.ts';
import { deliverTestDisputes } from './disputes/test-disputes.ts';
import type { Env } from './env.ts';
import { abandonSessions, followPayments } from './funnels/follow-payments.ts';
import { forgetAttempts } from './identity/attempts.ts';
import { forgetOldIdentityRows, repairMirror } from './identity/repair.ts';
import { removeUnclaimedCards } from './instruments/jobs.ts';
import { gatherKeyUses } from './keys/jobs.ts';
import { removeOldCalls } from './kit/idempotency.ts';
import type { Sweep } from './kit/sweeps.ts';
import { rewrapKybValues } from './kyb/values.ts';
import { reconcileBooks } from './ledger/operations.ts';
import { expireAuthorizations } from './payments/follow-up-jobs.ts';
import { forgetProcessorEvents } from './payments/receive-event.ts';
import { settleReverts } from './partners/assign-organization.ts';
import { expireChallenges, settleUnknownPayments } from './payments/jobs.ts';
import { rewrapProcessorSecrets } from './processors/connection.ts';
import { advanceTestClocks } from './test-clocks/jobs.ts';
import { runDueSubscriptions } from './subscriptions/jobs.ts';
import { deliverWebhooks, measureWebhooks } from './webhooks/jobs.ts';
import { removeOldDeliveries } from './webhooks/retention.ts';
import { rewrapSigningSecrets } from './webhooks/rewrap-secrets.ts';

/** All the work that runs beside the requests. */
export function sweepsOf(env: Env): Sweep[] {
  return [
    { name: 'settle-unknown-payments', everyMs: 5_000, run: (stopping) => settleUnknownPayments(env, stopping) },
    { name: 'expire-challenges', everyMs: 5_000, run: () => expireChallenges(env) },
    { name: 'expire-authorizations', everyMs: 5_000, run: (stopping) => expireAuthorizations(env, stopping) },
    { name: 'forget-processor-events', everyMs: 600_000, run: () => forgetProcessorEvents(env) },
    { name: 'deliver-test-disputes', everyMs: 5_000, run: () => deliverTestDisputes(env) },
    { name: 'follow-funnel-payments', everyMs: 1_000, run: (stopping) => followPayments(env, stopping) },
    { name: 'abandon-funnel-sessions', everyMs: 60_000, run: () => abandonSessions(env) },
    { name: 'advance-test-clocks', everyMs: 1_000, run: (stopping) => advanceTestClocks(env, stopping) },
    { name: 'renew-subscriptions', everyMs: 1_000, run: (stopping) => runDueSubscriptions(env, stopping) },
    { name: 'deliver-webhooks', everyMs: 500, run: (stopping) => deliverWebhooks(env, stopping) },
    { name: 'measure-webhooks', everyMs: 10_000, run: () => measureWebhooks(env) },
    { name: 'gather-key-uses', everyMs: 1_000, run: () => gatherKeyUses(env) },
    { name: 'repair-identity-mirror', everyMs: 300_000, run: () => repairMirror(env) },
    { name: 'settle-pending-reverts', everyMs: 5_000, run: () => settleReverts(env) },
    { name: 'forget-sign-in-attempts', everyMs: 600_000, run: () => forgetAttempts(env) },
    { name: 'forget-old-identity-rows', everyMs: 600_000, run: () => forgetOldIdentityRows(env) },
    { name: 'forget-connect-attempts', everyMs: 600_000, run: () => forgetConnectAttempts(env) },
    { name: 'forget-expired-cvcs', everyMs: 60_000, run: () => env.vault.forgetExpiredCvcs() },
    { name: 'remove-unclaimed-cards', everyMs: 600_000, run: (stopping) => removeUnclaimedCards(env, stopping) },
    { name: 'reconcile-books', everyMs: 600_000, run: () => reconcileBooks(env) },
    // After a rotation cards, signing secrets, processors' keys and what KYB was sent move to the newest key by themselves, so that the old one can be dropped.
    { name: 'rewrap-cards', everyMs: 60_000, run: () => env.vault.rewrap(1_000) },
    { name: 'rewrap-signing-secrets', everyMs: 60_000, run: () => rewrapSigningSecrets(env, 1_000) },
    { name: 'rewrap-kyb-values', everyMs: 60_000, run: () => rewrapKybValues(env, 1_000) },
    { name: 'rewrap-processor-secrets', everyMs: 60_000, run: () => rewrapProcessorSecrets(env, 1_000) },
    { name: 'remove-old-webhook-deliveries', everyMs: 600_000, run: (stopping) => removeOldDeliveries(env, stopping) },
    { name: 'remove-old-idempotency-records', everyMs: 600_000, run: () => removeOldCalls(env.pool, env.clock.now()) },
  ];
}
