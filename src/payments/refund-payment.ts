import type { KeyContext } from '../graph/context.ts';
import { customerRule } from '../block-rules/operations.ts';
import { DomainError, invalid, InvalidInput } from '../kit/errors.ts';
import { claimCall, type IdempotencyScope, storeAnswer } from '../kit/idempotency.ts';
import { newId } from '../kit/ids.ts';
import { scopeOf } from '../kit/write.ts';
import { subscriptionEnds } from '../subscriptions/operations.ts';
import { followUp, permitted } from './follow-up.ts';
import { refundAmount } from './policy.ts';
import type { RefundPaymentInput } from './schema.ts';
import type { FollowUpResult, RefundRow } from './types.ts';

export type RefundInput = typeof RefundPaymentInput.$inferInput;

/** What became of one of several refunds. */
export interface RefundOutcome {
  paymentId: string;
  refund: RefundRow | null;
  error: { code: string; message: string } | null;
}

/** One refund's answer, or the outcomes of several. */
export type RefundAnswer = Partial<FollowUpResult> & { results?: RefundOutcome[] };

const paymentIdsMax = 100;

/** Gives captured money back: of one payment, or of several, each on its own. */
export function refundPayment(context: KeyContext, input: RefundInput): Promise<RefundAnswer> {
  const scope = scopeOf(context, 'refundPayment');
  if (input.paymentIds == null) {
    if (input.paymentId == null) throw new InvalidInput([{ path: 'paymentId', message: 'is required, or paymentIds' }]);
    return refundOne(context, scope, input.paymentId, input);
  }
  if (input.paymentId != null) throw invalid('paymentIds', 'must not stand beside paymentId: use one of the two');
  if (input.paymentIds.length === 0 || input.paymentIds.length > paymentIdsMax)
    throw invalid('paymentIds', `must name 1 to ${paymentIdsMax} payments`);
  return refundSeveral(context, scope, [...new Set(input.paymentIds)], input);
}

async function refundOne(
  context: KeyContext,
  scope: IdempotencyScope | null,
  paymentId: string,
  input: RefundInput,
): Promise<FollowUpResult> {
  const refunded = await followUp(context, scope, {
    type: 'refund',
    paymentId,
    intend({ payment }, now) {
      const amount = permitted(refundAmount(payment, input.amount ?? null));
      const metadata = (input.metadata ?? {}) as never; // the scalar has checked that it is plain JSON
      return {
        amount,
        payment: { reservedAmount: Number(payment.reservedAmount) + amount },
        refund: { id: newId('refund', now), reason: input.reason ?? null, metadata },
        ...(input.blacklistCustomer && { blockRule: customerRule(payment, now) }),
        ...(input.cancelSubscription && { cancelsSubscription: payment.subscriptionId }),
      };
    },
  });
  if (input.cancelSubscription && !context.replayed) await subscriptionEnds(context, refunded.payment);
  return refunded;
}

/**
 * Several refunds under one key: each claims a part of the key for itself, so that a repeat after a crash goes on where the first
 * call stopped and refunds nothing twice.
 */
async function refundSeveral(
  context: KeyContext,
  scope: IdempotencyScope | null,
  paymentIds: readonly string[],
  input: RefundInput,
): Promise<RefundAnswer> {
  const { pool } = context.env;
  const stored = scope && (await claimCall(pool, scope));
  if (stored) {
    context.replayed = true;
    return stored.answer as RefundAnswer; // stored below
  }
  const results: RefundOutcome[] = [];
  for (const paymentId of paymentIds)
    results.push(
      await outcomeOf(
        paymentId,
        refundOne(context, scope && { ...scope, operation: `${scope.operation}:${paymentId}` }, paymentId, input),
      ),
    );
  context.replayed = false;
  if (scope) await storeAnswer(pool, scope, { results });
  return { results };
}

async function outcomeOf(paymentId: string, refunding: Promise<FollowUpResult>): Promise<RefundOutcome> {
  try {
    return { paymentId, refund: (await refunding).refund, error: null };
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    return { paymentId, refund: null, error: { code: error.code, message: error.message } };
  }
}
