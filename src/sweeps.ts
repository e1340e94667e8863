import type { Env } from './env.ts';
import { gatherKeyUses } from './keys/jobs.ts';
import { removeOldCalls } from './kit/idempotency.ts';
import type { Sweep } from './kit/sweeps.ts';
import { expireAuthorizations } from './payments/follow-up-jobs.ts';
import { expireChallenges, settleUnknownPayments } from './payments/jobs.ts';
import { deliverWebhooks, measureWebhooks } from './webhooks/jobs.ts';

/** All the work that runs beside the requests. */
export function sweepsOf(env: Env): Sweep[] {
  return [
    { name: 'settle-unknown-payments', everyMs: 5_000, run: (stopping) => settleUnknownPayments(env, stopping) },
    { name: 'expire-challenges', everyMs: 5_000, run: () => expireChallenges(env) },
    { name: 'expire-authorizations', everyMs: 5_000, run: (stopping) => expireAuthorizations(env, stopping) },
    { name: 'deliver-webhooks', everyMs: 500, run: (stopping) => deliverWebhooks(env, stopping) },
    { name: 'measure-webhooks', everyMs: 10_000, run: () => measureWebhooks(env) },
    { name: 'gather-key-uses', everyMs: 1_000, run: () => gatherKeyUses(env) },
    { name: 'forget-expired-cvcs', everyMs: 60_000, run: () => env.vault.forgetExpiredCvcs() },
    // After a rotation cards move to the newest key by themselves, so that the old one can be dropped.
    { name: 'rewrap-cards', everyMs: 60_000, run: () => env.vault.rewrap(1_000) },
    { name: 'remove-old-idempotency-records', everyMs: 600_000, run: () => removeOldCalls(env.pool, env.clock.now()) },
  ];
}
