import type { SessionContext } from '../graph/context.ts';
import { Conflict, invalid } from '../kit/errors.ts';
import type { AuditDraft } from '../kit/records.ts';
import { recordRefusal } from '../kit/refusals.ts';
import { recordedBy, write } from '../kit/write.ts';
import { atClockTime } from '../test-clocks/operations.ts';
import { challengeUrlOf } from './challenge-url.ts';
import { commitSettlement } from './charge-statements.ts';
import { commitFollowUpEnd } from './follow-up-statements.ts';
import { settle } from './jobs.ts';
import { noSuchPayment } from './operations.ts';
import type { PaymentWithTransactions, TransactionRow } from './types.ts';

export const resolutionOutcomes = ['ask', 'approved', 'failed'] as const;

export interface Resolution {
  paymentId: string;
  outcome: (typeof resolutionOutcomes)[number];
  processorReference?: string | null | undefined;
  note: string;
}

/** The platform asks by itself within a minute; a person's word counts when that has come to nothing for long. */
const ownAttemptsMs = 10 * 60_000;
const action = 'resolvePayment';

/**
 * Ends what is stuck: asks the processor once more, now; or takes an operator's word for what the processor has on record. It
 * goes the way every outcome goes, and the audit row that names the operator is written with it.
 */
export async function resolvePayment(
  context: SessionContext,
  resolution: Resolution,
): Promise<PaymentWithTransactions> {
  const { paymentId } = resolution;
  try {
    assertMakesSense(resolution);
    const state = await readState(context, paymentId);
    const open = state.transactions.find(({ status }) => status === 'processing');
    if (!open) throw nothingOpen();
    if (resolution.outcome === 'ask') await askAgain(context, { state, open }, resolution);
    else
      await atClockTime(context.env, state.payment.testClockId, () =>
        settleByHand(context, { state, open }, resolution),
      );
    return await readState(context, paymentId);
  } catch (error) {
    await recordRefusal(context, { action, target: paymentId }, error);
    throw error;
  }
}

interface Open {
  state: PaymentWithTransactions;
  open: TransactionRow;
}

function assertMakesSense({ outcome, processorReference }: Resolution): void {
  if (outcome === 'approved' && processorReference == null)
    throw invalid('processorReference', 'is required: what the processor calls it');
  if (outcome !== 'approved' && processorReference != null)
    throw invalid('processorReference', 'is only for what was approved');
}

async function readState({ env }: SessionContext, paymentId: string): Promise<PaymentWithTransactions> {
  const found = await env.prisma.payment.findUnique({
    where: { id: paymentId },
    include: { transactions: { orderBy: [{ createdAt: 'asc' }, { id: 'asc' }] } },
  });
  if (!found) throw noSuchPayment();
  const { transactions, ...payment } = found;
  return { payment, transactions };
}

function nothingOpen(): Conflict {
  return new Conflict('invalid_state', 'Nothing of the payment waits for its processor (invalid_state).');
}

async function askAgain(context: SessionContext, { state, open }: Open, resolution: Resolution): Promise<void> {
  const { id, type } = open;
  // Written first: whatever the processor answers, somebody has asked.
  await write(context, action, async ({ audit }) => audit(auditOf(state, open, resolution)));
  await settle(context.env, { id, type, paymentId: state.payment.id }).catch((error: unknown) => {
    context.env.log.warn(
      { err: error, paymentId: state.payment.id, requestId: context.requestId },
      'asked by hand, a processor did not answer',
    );
  });
}

async function settleByHand(context: SessionContext, { state, open }: Open, resolution: Resolution): Promise<void> {
  const { pool, clock, config } = context.env;
  if (clock.now().getTime() - open.createdAt.getTime() < ownAttemptsMs) {
    throw new Conflict(
      'invalid_state',
      'The platform has asked for less than ten minutes and goes on; resolve it by asking, or later (invalid_state).',
    );
  }
  const by = { ...recordedBy(context, clock.now()), audits: [auditOf(state, open, resolution)] };
  const { outcome, processorReference = null, note } = resolution;
  if (open.type === 'purchase' || open.type === 'authorization') {
    const end =
      outcome === 'approved'
        ? { result: 'approved' as const, processorReference: processorReference ?? '' }
        : { result: 'error' as const, message: note, processorReference: null };
    if (!(await commitSettlement(pool, state, end, { by, challengeUrl: challengeUrlOf(config), answers: true })))
      throw nothingOpen();
    return;
  }
  const end =
    outcome === 'approved'
      ? { result: 'approved' as const, processorReference: processorReference ?? '' }
      : { result: 'refused' as const, message: note, processorReference: null };
  const { transactions } = await commitFollowUpEnd(pool, by, state.payment.id, open.id, end);
  // A worker was faster: then its word stands, and the row of this attempt was not written.
  if (transactions.find(({ id }) => id === open.id)?.updatedAt.getTime() !== by.now.getTime()) throw nothingOpen();
}

function auditOf(
  { payment }: PaymentWithTransactions,
  open: TransactionRow,
  { outcome, processorReference, note }: Resolution,
): AuditDraft {
  const { id, type } = open;
  return {
    action,
    target: payment.id,
    before: { status: payment.status, subStatus: payment.subStatus, transactionId: id, type },
    after: { outcome, ...(processorReference != null && { processorReference }), note },
  };
}
