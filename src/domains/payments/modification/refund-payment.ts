import { type Context, newAnswerNotes, type TenantContext } from '../../../call/context.ts';
import { type ErrorCode, invalid } from '../../../lib/errors.ts';
import { newId } from '../../../lib/ids.ts';
import type { IdempotencyRecordKey } from '../../../unit-of-work/idempotency.ts';
import { entryErrorOf, runMultiStepCall } from '../../../unit-of-work/multi-step-call.ts';
import { recordKeyOf } from '../../../unit-of-work/write.ts';
import { customerRule } from '../../block-rules/public.ts';
import type { RefundInput } from '../inputs.ts';
import { followPayment } from '../payment/follower.ts';
import { refundAmount } from '../payment/policy.ts';
import type { ModificationResult, RefundRow } from '../payment/rows.ts';
import { earlierModification } from './answer.ts';
import { type CommittedWithIntent, requireAllowed } from './decide.ts';
import { modify } from './modify-payment.ts';

/** The outcome of one of several refunds. */
export interface RefundOutcome {
  paymentId: string;
  refund: RefundRow | null;
  error: { code: ErrorCode; message: string } | null;
}

/** The answer of one refund, or the outcomes of several. */
export type RefundAnswer = ModificationResult | { results: RefundOutcome[] };

const paymentIdsMax = 100;

/** A refund that an operator makes or has requested. */
export interface PersonsRefund {
  /** The operation that an idempotency key of the call belongs to. */
  operation: 'refundPayment' | 'approveRefundRequest';
  requestedBy: string;
  withIntent: CommittedWithIntent;
}

/** Refunds one payment for an operator. */
export function refundForPerson(
  context: TenantContext,
  input: RefundInput & { paymentId: string },
  refund: PersonsRefund,
): Promise<ModificationResult> {
  return refundOne(context, recordKeyOf(context, refund.operation), input.paymentId, input, refund);
}

/** The answer of an earlier call of `refundPayment`. */
export function earlierRefund(stored: unknown, { services }: Context): RefundAnswer | Promise<RefundAnswer> {
  const answer = stored as RefundAnswer; // for several refunds it is stored unchanged
  return 'results' in answer ? answer : earlierModification(services, stored);
}

/** Refunds one payment, or several, each separately. */
export function refundPayment(context: TenantContext, input: RefundInput): Promise<RefundAnswer> {
  const recordKey = recordKeyOf(context, 'refundPayment');
  // the input has exactly one of the two
  if (input.paymentIds == null) return refundOne(context, recordKey, input.paymentId as string, input);
  if (input.paymentIds.length === 0 || input.paymentIds.length > paymentIdsMax)
    throw invalid('paymentIds', `must contain 1 to ${paymentIdsMax} payments`);
  return refundSeveral(context, recordKey, [...new Set(input.paymentIds)], input);
}

async function refundOne(
  context: TenantContext,
  recordKey: IdempotencyRecordKey | null,
  paymentId: string,
  input: RefundInput,
  { requestedBy, withIntent }: Partial<PersonsRefund> = {},
): Promise<ModificationResult> {
  const refunded = await modify(context, recordKey, {
    type: 'refund',
    paymentId,
    ...(withIntent && { withIntent }),
    intend({ payment }, now) {
      const amount = requireAllowed(refundAmount(payment, input.amount ?? null));
      const metadata = input.metadata ?? {};
      return {
        amount,
        payment: { reservedAmount: Number(payment.reservedAmount) + amount },
        refund: { id: newId('ref_', now), reason: input.reason ?? null, metadata, requestedBy: requestedBy ?? null },
        ...(input.blacklistCustomer && { blockRule: customerRule(payment, now) }),
        ...(input.cancelSubscription && { cancelsSubscription: payment.subscriptionId }),
      };
    },
  });
  if (input.cancelSubscription && !context.answer.replayed) await followPayment(context, refunded.payment);
  return refunded;
}

/**
 * Makes several refunds under one idempotency key. Each has its own idempotency record, so that a repeat after a crash
 * continues where the first call stopped and refunds nothing twice.
 */
async function refundSeveral(
  context: TenantContext,
  recordKey: IdempotencyRecordKey | null,
  paymentIds: readonly string[],
  input: RefundInput,
): Promise<RefundAnswer> {
  return runMultiStepCall(context, recordKey, async () => {
    const results: RefundOutcome[] = [];
    for (const paymentId of paymentIds) {
      const ownKey = recordKey && { ...recordKey, operation: `${recordKey.operation}:${paymentId}` };
      results.push(
        await refundOutcome(paymentId, refundOne({ ...context, answer: newAnswerNotes() }, ownKey, paymentId, input)),
      );
    }
    return { results };
  });
}

async function refundOutcome(paymentId: string, refunding: Promise<ModificationResult>): Promise<RefundOutcome> {
  try {
    return { paymentId, refund: (await refunding).refund, error: null };
  } catch (error) {
    return { paymentId, refund: null, error: entryErrorOf(error) };
  }
}
