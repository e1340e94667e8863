import { nothingDoneIfUnavailable, withOutageRetry } from '../../../database/outage-retry.ts';
import { markResponsive, markUnresponsive } from '../../../jobs/run-due-rows.ts';
import { isOutage, outageName } from '../../../lib/outage.ts';
import {
  type CardProcessor,
  type ClearCard,
  type ModificationOutcome,
  type Outcome,
  type ProcessorConnection,
  withTimeout,
} from '../../../ports/card-processor.ts';
import type { Services } from '../../../services.ts';
import type { Config } from '../../../settings/config.ts';
import { connectionTo } from '../../processors/public.ts';
import { mayTryAnother } from '../charge/outcome.ts';
import type { PaymentRow, TransactionRow } from './rows.ts';

/**
 * Sends an attempt to its processor. Throws if the outcome is unknown: it is asked for later, not inferred. The
 * connection is read from the processor's row unless it is given.
 */
export async function authorizeAtProcessor(
  services: Services,
  payment: PaymentRow,
  attempt: TransactionRow,
  { id: cardId, clear }: RevealedCard,
  connection?: ProcessorConnection,
): Promise<Outcome> {
  const card = await clear;
  const outcome = await ask(services, attempt, connection, (port, { processor, signal }) =>
    port.authorize({
      processor,
      reference: attempt.id,
      amount: Number(payment.amount),
      currency: payment.currency,
      card,
      capture: attempt.type === 'purchase',
      merchantInitiated: payment.initiatedBy === 'merchant',
      threeDs: payment.threeDs as 'automatic' | 'force' | 'skip', // a CHECK constraint limits the column to these
      returnUrl: `${services.config.publicUrl}/3ds/return/${attempt.id}`,
      signal,
    }),
  );
  // The CVC is purged after the authorization (docs/contract/11-instruments-and-test-cards.md). A cascade authorizes
  // at several processors.
  if (card.cvc !== null && !(payment.cascade !== null && mayTryAnother(outcome))) await purgeCvc(services, cardId);
  return outcome;
}

/** A card of the vault for the processors of one charge. It may still be being read. */
export interface RevealedCard {
  id: string;
  clear: ClearCard | Promise<ClearCard>;
}

/**
 * Reads the card of a charge that is about to start. A separate vault database may be unavailable by itself, and the
 * charge must not start without its card, so the card is read first. Otherwise it is read while the intent is
 * committed, which does not depend on it.
 */
export async function cardOfCharge(
  { vault, vaultDatabase }: Services,
  id: string,
  payment: PaymentRow,
): Promise<RevealedCard> {
  if (vaultDatabase.isApart) return { id, clear: await nothingDoneIfUnavailable(() => vault.reveal(id, payment)) };
  const clear = withOutageRetry({ run: () => vault.reveal(id, payment) });
  clear.catch(() => {}); // it is awaited, and fails, when the processor is asked
  return { id, clear };
}

/**
 * If the vault is unavailable, the outcome of a charge waits only for `withOutageRetry`: the job purges the CVC when it
 * expires.
 */
export async function purgeCvc({ vault, outages }: Pick<Services, 'vault' | 'outages'>, cardId: string): Promise<void> {
  try {
    await withOutageRetry({ run: () => vault.purgeCvc(cardId) });
  } catch (error) {
    if (!isOutage(error)) throw error;
    outages.note('the purge of a CVC', outageName(error));
  }
}

/** Reports the answer of a challenge to the processor. */
export function continueAtProcessor(
  services: Services,
  attempt: TransactionRow,
  authentication: 'succeeded' | 'failed',
): Promise<Outcome> {
  return ask(services, attempt, undefined, (port, call) =>
    port.continueAuthorization({ ...call, ...questionOf(attempt), authentication }),
  );
}

/** Asks for the outcome of an attempt. */
export function findAtProcessor(services: Services, attempt: TransactionRow): Promise<Outcome | { result: 'unseen' }> {
  return ask(services, attempt, undefined, (port, call) => port.find({ ...call, ...questionOf(attempt) }));
}

/**
 * Sends a capture, void or refund of an approved authorization. Throws if the outcome is unknown. The connection is
 * read from the processor's row unless it is given.
 */
export function modifyAtProcessor(
  services: Services,
  transaction: TransactionRow,
  authorizationReference: string,
  connection?: ProcessorConnection,
): Promise<ModificationOutcome> {
  const type = transaction.type as 'capture' | 'void' | 'refund'; // callers pass no other transaction
  const { amount, currency } = transaction;
  return ask(services, transaction, connection, (port, call) =>
    port[type]({ ...call, reference: transaction.id, authorizationReference, amount: Number(amount), currency }),
  );
}

/** Asks for the outcome of a capture, void or refund. */
export function findModificationAtProcessor(
  services: Services,
  transaction: TransactionRow,
  authorizationReference: string,
): Promise<ModificationOutcome | { result: 'unseen' }> {
  const type = transaction.type as 'capture' | 'void' | 'refund'; // callers pass no other transaction
  return ask(services, transaction, undefined, (port, call) =>
    port.findModification({ ...call, ...questionOf(transaction), type, authorizationReference }),
  );
}

function questionOf({ id: reference, amount, currency }: TransactionRow) {
  return { reference, amount: Number(amount), currency };
}

type Call<Answer> = (
  port: CardProcessor,
  call: { processor: ProcessorConnection; signal: AbortSignal },
) => Promise<Answer>;

function readConnection(services: Services, { processorId }: TransactionRow): Promise<ProcessorConnection> {
  return withOutageRetry({ run: () => connectionTo(services, processorId ?? '') });
}

async function ask<Answer extends { result: string }>(
  services: Services,
  attempt: TransactionRow,
  connection: ProcessorConnection | undefined,
  call: Call<Answer>,
): Promise<Answer> {
  const type = attempt.processorType ?? '';
  const port = services.processors.get(type);
  if (!port) throw new Error(`There is no processor of type ${type}.`);
  const processor = connection ?? (await readConnection(services, attempt));
  const startedAt = performance.now();
  let outcome = 'unknown';
  try {
    const answer = await services.tracing.span(`processor ${type} ${attempt.type}`, { transactionId: attempt.id }, () =>
      withTimeout(attempt.id, services.config.processorTimeoutMs, (signal) => call(port, { processor, signal })),
    );
    outcome = answer.result;
    markResponsive(processor.id);
    return answer;
  } catch (error) {
    markUnresponsive(processor.id);
    throw error;
  } finally {
    services.metrics.processorCalled(type, outcome, (performance.now() - startedAt) / 1000);
  }
}

/** Where the cardholder answers a challenge in test mode. */
export function challengeUrlOf(config: Config): (sessionId: string) => string {
  return (sessionId) => `${config.publicUrl}/test/3ds/${sessionId}`;
}
