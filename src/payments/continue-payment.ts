import type { KeyContext } from '../graph/context.ts';
import { subscriptionFollows } from '../subscriptions/operations.ts';
import { awaitStoredCall, findStoredCall, type IdempotencyScope } from '../kit/idempotency.ts';
import { recordedBy, scopeOf } from '../kit/write.ts';
import { atCustomersTime } from '../test-clocks/operations.ts';
import { continueAtProcessor, findAtProcessor } from './ask-processor.ts';
import { challengeUrlOf } from './challenge-url.ts';
import {
  commitContinuation,
  commitSettlement,
  commitUnchanged,
  commitUnknown,
  type SettlementDetails,
} from './charge-statements.ts';
import type { AttemptEnd } from './lifecycle.ts';
import { readPayment } from './operations.ts';
import { endChallenge, settleChallenge } from './processor-challenge.ts';
import type { PaymentWithTransactions, TransactionRow } from './types.ts';

/**
 * Goes on after a challenge. Unanswered, final, or being continued by another call: the payment as it is. Of several calls at
 * once one moves it, since moving it back into processing succeeds once.
 */
export function continuePayment(context: KeyContext, paymentId: string): Promise<PaymentWithTransactions> {
  return atCustomersTime(context, { paymentId }, () => goOn(context, paymentId));
}

async function goOn(context: KeyContext, paymentId: string): Promise<PaymentWithTransactions> {
  const { env } = context;
  const scope = scopeOf(context, 'continuePayment');
  const stored = await storedAnswer(context, scope);
  if (stored) return stored;
  const found = await readPayment(context, paymentId);
  const attempt = found.transactions.at(-1);
  if (found.payment.subStatus !== 'requires_action' || !attempt) return unchanged(context, scope, found);
  const now = env.clock.now();
  const askedAt = env.clock.real();
  const details: SettlementDetails = {
    by: recordedBy(context, now),
    challengeUrl: challengeUrlOf(env.config),
    answers: scope !== null,
  };
  if (found.payment.actionExpiresAt && found.payment.actionExpiresAt <= now) {
    const expired = await endChallenge(env, found, { ...details, answers: false }).catch((error: unknown) =>
      notKnown(context, found, error),
    );
    return unchanged(context, scope, expired ?? (await readPayment(context, paymentId)));
  }
  const session = await env.prisma.threeDsSession.findFirst({ where: { paymentId, transactionId: attempt.id } });
  if (session && session.url !== null) return goOnFromProcessor(context, scope, found, attempt, details);
  if (!session || session.status === 'pending') return unchanged(context, scope, found);

  if (!(await commitContinuation(env.pool, details.by, scope, found.payment, attempt, askedAt))) {
    return (await storedAnswer(context, scope)) ?? unchanged(context, scope, await readPayment(context, paymentId));
  }
  const moved = {
    payment: { ...found.payment, subStatus: 'processing', requireAction: null, requireActionData: null },
    transactions: [...found.transactions.slice(0, -1), { ...attempt, status: 'processing', askedAt }],
  };
  const end = await endOf(context, moved, session.status === 'succeeded' ? 'succeeded' : 'failed');
  if (end === 'unknown') {
    await commitUnknown(env.pool, moved);
    return scope ? ((await awaitStoredCall(env.pool, scope)) as PaymentWithTransactions) : moved; // stored by commitUnknown, or by a worker that has found out meanwhile
  }
  const settled = await commitSettlement(env.pool, moved, end, details);
  // The subscription whose first charge this is is seen to follow by whoever reads it next.
  if (settled?.payment.subscriptionPeriod != null) await subscriptionFollows(context, settled.payment);
  return settled ?? readPayment(context, paymentId);
}

/** The cardholder has answered the processor, or not yet: it is asked, and nothing is told it. */
async function goOnFromProcessor(
  context: KeyContext,
  scope: IdempotencyScope | null,
  found: PaymentWithTransactions,
  attempt: TransactionRow,
  details: SettlementDetails,
): Promise<PaymentWithTransactions> {
  const end = await findAtProcessor(context.env, attempt).catch((error: unknown) => notKnown(context, found, error));
  if (end === null || end.result === 'challenge' || end.result === 'unseen') return unchanged(context, scope, found);
  return (
    (await settleChallenge(context.env, scope, found, end, details)) ??
    (await storedAnswer(context, scope)) ??
    unchanged(context, scope, await readPayment(context, found.payment.id))
  );
}

function notKnown(context: KeyContext, { payment }: PaymentWithTransactions, error: unknown): null {
  context.env.log.warn(
    { err: error, paymentId: payment.id, requestId: context.requestId },
    'what became of a challenge is unknown',
  );
  return null;
}

/** What an earlier call with this Idempotency-Key was answered, or null when there was none. */
async function storedAnswer(
  context: KeyContext,
  scope: IdempotencyScope | null,
): Promise<PaymentWithTransactions | null> {
  const stored = scope && (await findStoredCall(context.env.pool, scope));
  if (!stored) return null;
  context.replayed = true;
  return stored.answer as PaymentWithTransactions; // stored by one of the charge's statements
}

/** The payment as it is; a repeat of the call is told the same, whatever happens in between. */
async function unchanged(
  context: KeyContext,
  scope: IdempotencyScope | null,
  state: PaymentWithTransactions,
): Promise<PaymentWithTransactions> {
  if (!scope || (await commitUnchanged(context.env.pool, scope, state))) return state;
  return (await storedAnswer(context, scope)) ?? state;
}

async function endOf(
  context: KeyContext,
  { payment, transactions }: PaymentWithTransactions,
  authentication: 'succeeded' | 'failed',
): Promise<AttemptEnd | 'unknown'> {
  const attempt = transactions.at(-1);
  if (!attempt) return 'unknown';
  const begun = performance.now();
  try {
    return await continueAtProcessor(context.env, attempt, authentication);
  } catch (error) {
    context.env.log.warn(
      { err: error, paymentId: payment.id, transactionId: attempt.id, requestId: context.requestId },
      'the outcome of a continued charge is unknown',
    );
    return 'unknown';
  } finally {
    context.timings.set('processor', performance.now() - begun);
  }
}
