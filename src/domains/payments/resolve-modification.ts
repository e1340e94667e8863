import type { ModificationOutcome } from '../../ports/card-processor.ts';
import type { Services } from '../../services.ts';
import { findModificationAtProcessor, modifyAtProcessor } from './ask-processor.ts';
import { commitModificationEnd } from './commit-modification-end.ts';
import type { PaymentWithTransactions, TransactionRow } from './payment-rows.ts';
import { authorizationReferenceOf, transactionOf } from './payment-with-transactions.ts';
import { recordedByJob } from './recorded-by-job.ts';

/** Resolves the unknown outcome of a capture, void or refund by asking the processor. */
export async function resolveModification(
  services: Services,
  state: PaymentWithTransactions,
  transactionId: string,
): Promise<void> {
  const outcome = await outcomeOf(services, state, transactionOf(state, transactionId));
  const by = recordedByJob(services, 'resolve-payments');
  await commitModificationEnd(services.pool, by, state.payment.id, transactionId, outcome);
}

async function outcomeOf(
  services: Services,
  state: PaymentWithTransactions,
  transaction: TransactionRow,
): Promise<ModificationOutcome> {
  const authorizationReference = authorizationReferenceOf(state);
  const found = await findModificationAtProcessor(services, transaction, authorizationReference);
  // The call never arrived. Sending it now is safe however late the first one arrives: a reference is booked once.
  return found.result === 'unseen' ? modifyAtProcessor(services, transaction, authorizationReference) : found;
}
