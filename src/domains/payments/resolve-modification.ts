import { mayCharge, standingOf } from '../../auth/standing.ts';
import type { ModificationOutcome } from '../../ports/card-processor.ts';
import type { Services } from '../../services.ts';
import { findModificationAtProcessor, modifyAtProcessor } from './ask-processor.ts';
import { commitModificationEnd } from './commit-modification-end.ts';
import type { PaymentWithTransactions, TransactionRow } from './payment-rows.ts';
import { authorizationReferenceOf, transactionOf } from './payment-with-transactions.ts';
import { hasHadItsTime } from './policy.ts';
import { recordedByJob } from './recorded-by-job.ts';

/**
 * Resolves the unknown outcome of a capture, void or refund by asking the processor. Returns false if there is none
 * yet.
 */
export async function resolveModification(
  services: Services,
  state: PaymentWithTransactions,
  transactionId: string,
): Promise<boolean> {
  const outcome = await outcomeOf(services, state, transactionOf(state, transactionId));
  if (outcome === null) return false;
  const by = recordedByJob(services, 'resolve-payments');
  await commitModificationEnd(services.pool, by, state.payment, transactionId, outcome);
  return true;
}

async function outcomeOf(
  services: Services,
  state: PaymentWithTransactions,
  transaction: TransactionRow,
): Promise<ModificationOutcome | null> {
  const authorizationReference = authorizationReferenceOf(state);
  const found = await findModificationAtProcessor(services, transaction, authorizationReference);
  if (found.result !== 'unseen') return found;
  // The call never arrived. Sending it now is safe however late the first one arrives: a reference is booked once.
  if (transaction.type !== 'capture' || mayCharge(await standingOf(services.pool, state.payment.platformAccountId)))
    return modifyAtProcessor(services, transaction, authorizationReference);
  return hasHadItsTime(transaction, services.clock.passed()) ? neverSent : null;
}

/** The end of a capture that was not sent because its account may not charge any more. */
const neverSent: ModificationOutcome = {
  result: 'refused',
  message: 'The account may not charge any more, and the processor has not seen the capture.',
  processorReference: null,
};
