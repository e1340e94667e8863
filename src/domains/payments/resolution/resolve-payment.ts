import type { SessionContext } from '../../../call/context.ts';
import { Conflict, invalid } from '../../../lib/errors.ts';
import type { AuditDraft } from '../../../unit-of-work/records.ts';
import { recordRefusal } from '../../../unit-of-work/refusals.ts';
import { recordedBy, write } from '../../../unit-of-work/write.ts';
import { atClockTime } from '../../test-clocks/public.ts';
import { commitOutcome } from '../charge/commit-outcome.ts';
import { commitModificationEnd } from '../modification/commit.ts';
import { isUnknownTooLong } from '../payment/policy.ts';
import { challengeUrlOf } from '../payment/processor.ts';
import { isCharge, type PaymentWithTransactions, requirePayment, type TransactionRow } from '../payment/rows.ts';
import { resolveTransaction } from './resolve.ts';

export const resolutionOutcomes = ['ask', 'approved', 'failed'] as const;

export interface Resolution {
  paymentId: string;
  outcome: (typeof resolutionOutcomes)[number];
  processorReference?: string | null | undefined;
  note: string;
}

const action = 'resolvePayment';

/**
 * Resolves an unknown outcome: asks the processor immediately, or records an operator's decision. It is recorded like
 * every other outcome, together with the audit row of the operator.
 */
export async function resolvePayment(
  context: SessionContext,
  resolution: Resolution,
): Promise<PaymentWithTransactions> {
  const { paymentId } = resolution;
  const { prisma } = context.services;
  try {
    assertConsistent(resolution);
    const state = await requirePayment(prisma, { id: paymentId });
    const id = await begin(context, state, resolution);
    const open = state.transactions.find((transaction) => transaction.id === id && transaction.status === 'processing');
    // Only in a repeat: the transaction that the first call started to resolve has ended since.
    if (!open) return state;
    if (resolution.outcome === 'ask') await resolveByAsking(context, { state, open });
    else
      await atClockTime(context.services, state.payment.testClockId, () =>
        resolveByOperator(context, { state, open }, resolution),
      );
    return await requirePayment(prisma, { id: paymentId });
  } catch (error) {
    await recordRefusal(context, { action, target: paymentId }, error);
    throw error;
  }
}

/**
 * Decides which transaction the call resolves, and returns its id. A repeat of the call gets the same. A question to
 * the processor is recorded before it is sent, so that it is audited regardless of the answer.
 */
async function begin(context: SessionContext, state: PaymentWithTransactions, resolution: Resolution): Promise<string> {
  const { services } = context;
  return write(context, action, async ({ audit }) => {
    const open = state.transactions.find(({ status }) => status === 'processing');
    if (!open) throw noOpenTransactionError();
    if (resolution.outcome === 'ask') audit(auditOf(state, open, resolution));
    else
      await atClockTime(services, state.payment.testClockId, async () => {
        if (!isUnknownTooLong(open, services.clock.earliest())) throw tooEarlyError();
      });
    return open.id;
  });
}

interface Open {
  state: PaymentWithTransactions;
  open: TransactionRow;
}

function assertConsistent({ outcome, processorReference }: Resolution): void {
  if (outcome === 'approved' && processorReference == null)
    throw invalid('processorReference', 'is required: the reference of the processor');
  if (outcome !== 'approved' && processorReference != null)
    throw invalid('processorReference', 'is allowed only with the outcome approved');
}

function tooEarlyError(): Conflict {
  return new Conflict(
    'invalid_state',
    'Automatic resolution runs for ten minutes. Query the processor, or resolve it later (invalid_state).',
  );
}

function noOpenTransactionError(): Conflict {
  return new Conflict('invalid_state', 'The payment has no pending operation (invalid_state).');
}

async function resolveByAsking(context: SessionContext, { state, open }: Open): Promise<void> {
  const { id, type } = open;
  await resolveTransaction(context.services, { id, type, paymentId: state.payment.id }).catch((error: unknown) => {
    context.services.log.warn(
      { err: error, paymentId: state.payment.id, requestId: context.requestId },
      'A processor that an operator asked for an outcome did not answer.',
    );
  });
}

async function resolveByOperator(
  context: SessionContext,
  { state, open }: Open,
  resolution: Resolution,
): Promise<void> {
  const { services } = context;
  const { pool, clock, config } = services;
  const by = { ...recordedBy(context, clock.now()), audits: [auditOf(state, open, resolution)] };
  const { outcome, processorReference = null, note } = resolution;
  if (isCharge(open.type)) {
    const end =
      outcome === 'approved'
        ? { result: 'approved' as const, processorReference: processorReference ?? '' }
        : { result: 'error' as const, message: note, processorReference: null };
    const details = { by, challengeUrl: challengeUrlOf(config), answers: true };
    if (!(await commitOutcome(services, state, end, details))) throw noOpenTransactionError();
    return;
  }
  const end =
    outcome === 'approved'
      ? { result: 'approved' as const, processorReference: processorReference ?? '' }
      : { result: 'refused' as const, message: note, processorReference: null };
  const { transactions } = await commitModificationEnd(pool, by, state.payment, open.id, end);
  // If a job was faster, its outcome is recorded and the audit row of this call is not.
  if (transactions.find(({ id }) => id === open.id)?.updatedAt.getTime() !== by.now.getTime())
    throw noOpenTransactionError();
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
    mode: payment.mode,
  };
}
