import type { Prisma } from '../../generated/prisma/client.ts';
import { Conflict } from '../../kit/errors.ts';
import {
  type ModificationNotice,
  NoticeEarly,
  NoticeRefused,
  type ProcessorNotice,
} from '../../ports/card-processor.ts';
import type { Services } from '../../services.ts';
import type { RecordedBy } from '../../write/records.ts';
import { challengeUrlOf } from './challenge-url.ts';
import { commitOutcome } from './commit-charge-outcome.ts';
import { commitModificationEnd } from './commit-modification-end.ts';
import { failRefund } from './fail-refund.ts';
import { importModification } from './import-modification.ts';
import type { PaymentWithTransactions, TransactionRow } from './payment-rows.ts';
import { findPayment } from './payment-with-transactions.ts';
import { isChallengeOver, mayTryAnother } from './policy.ts';
import { resolveChallenge } from './processor-challenge.ts';

const attemptsMax = 5;

type AuthorizationNotice = Extract<ProcessorNotice, { about: 'authorization' }>;

/**
 * Records the outcome of a payment that its processor reports, with the same statements as a call or a job: the first
 * of them records it, and the others find it recorded. Returns false if there is nothing to record. Throws
 * `NoticeRefused` if amount, currency or charge are not those that were asked for.
 */
export async function applyAuthorization(
  services: Services,
  by: RecordedBy,
  processorId: string,
  { reference, outcome, amount, currency }: AuthorizationNotice,
): Promise<boolean> {
  const details = { by, challengeUrl: challengeUrlOf(services.config), answers: true };
  for (let attempt = 1; attempt <= attemptsMax; attempt++) {
    const state = await stateOf(services, processorId, { id: reference });
    const transaction = state?.transactions.at(-1);
    if (!state || transaction?.id !== reference || outcome.result === 'challenge') return false;
    if (transaction.currency !== currency) throw new NoticeRefused('currency_mismatch');
    if (Number(transaction.amount) !== amount) throw new NoticeRefused('amount_mismatch');
    if (isOther(transaction.processorReference, outcome.processorReference)) throw new NoticeRefused('charge_mismatch');
    if (transaction.status === 'processing') {
      // A call is in flight or a job will ask. They decide what follows a decline: perhaps another processor.
      if (outcome.result !== 'approved') return false;
      if (await commitOutcome(services, state, outcome, details)) return true;
    } else if (transaction.status === 'requires_action') {
      if (state.payment.cascade !== null && mayTryAnother(outcome)) return false;
      const isLate = outcome.result !== 'approved' && isChallengeOver(state.payment, by.now);
      const recorded = isLate
        ? await commitOutcome(services, state, { result: 'challengeExpired' }, details)
        : await resolveChallenge(services, null, state, outcome, details);
      if (recorded) return true;
    } else return false;
  }
  throw new Conflict('invalid_state', 'The payment is being changed: send the event again.');
}

/**
 * Records the outcome of a capture, void or refund of the platform, or imports one that was made at the processor.
 * Returns false if it is known already. Throws `NoticeEarly` if the charge is not known yet, and `NoticeRefused` if
 * amount, currency or charge are not those of the transaction.
 */
export async function applyModification(
  services: Services,
  by: RecordedBy,
  processorId: string,
  notice: ModificationNotice,
): Promise<boolean> {
  const state = await stateOf(services, processorId, {
    processorReference: notice.authorizationReference,
    type: { in: ['purchase', 'authorization'] },
  });
  if (!state) throw new NoticeEarly('No charge of this processor has this reference.');
  const { payment, transactions } = state;
  if (payment.currency !== notice.currency) throw new NoticeRefused('currency_mismatch');
  const started = transactionNamedBy(notice, transactions);
  if (started) assertSame(started, notice);
  else if (notice.reference?.startsWith('txn_')) throw new NoticeRefused('charge_mismatch'); // of another payment
  if (!started) return importModification(services.pool, services.clock, by, payment, notice);
  if (notice.about === 'refund' && notice.outcome.result !== 'approved' && started.status === 'succeeded')
    return failRefund(services.pool, by, payment, started.id);
  if (started.status !== 'processing') return false;
  await commitModificationEnd(services.pool, by, payment, started.id, notice.outcome);
  return true;
}

function assertSame(transaction: TransactionRow, { about, amount, outcome }: ModificationNotice): void {
  if (Number(transaction.amount) !== amount) throw new NoticeRefused('amount_mismatch');
  if (about === 'refund' && isOther(transaction.processorReference, outcome.processorReference))
    throw new NoticeRefused('charge_mismatch');
}

function isOther(known: string | null, named: string | null): boolean {
  return known !== null && named !== null && known !== named;
}

/**
 * The transaction of the platform that a notice is about: by the platform's reference, or by that of the processor for
 * a refund that was imported. A void has neither at the processor: the one in flight is the one that was made.
 */
function transactionNamedBy(
  { about, reference, outcome }: ModificationNotice,
  transactions: readonly TransactionRow[],
): TransactionRow | undefined {
  const ofType = transactions.filter(({ type }) => type === about);
  return (
    ofType.find(({ id }) => id === reference) ??
    (about === 'void' ? ofType.find(({ status }) => status === 'processing') : undefined) ??
    (about === 'refund' && outcome.processorReference !== null
      ? ofType.find(({ processorReference }) => processorReference === outcome.processorReference)
      : undefined)
  );
}

/** The payment of a transaction of this processor. A processor reports only its own transactions. */
async function stateOf(
  { prisma }: Services,
  processorId: string,
  of: Prisma.TransactionWhereInput,
): Promise<PaymentWithTransactions | null> {
  const transaction = await prisma.transaction.findFirst({
    where: { processorId, ...of },
    select: { paymentId: true },
  });
  return transaction && findPayment(prisma, { id: transaction.paymentId });
}
