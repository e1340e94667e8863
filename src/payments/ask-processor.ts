import type { Env } from '../env.ts';
import { type CardProcessor, type Outcome, withTimeout } from '../ports/card-processor.ts';
import type { PaymentRow, TransactionRow } from './types.ts';

/** Sends an attempt to its processor. Throws when the outcome is unknown: then ask later, never guess. */
export async function authorizeAtProcessor(env: Env, payment: PaymentRow, attempt: TransactionRow, cardId: string): Promise<Outcome> {
  const card = await env.vault.reveal(cardId);
  const outcome = await ask(env, attempt, (processor, signal) =>
    processor.authorize({
      reference: attempt.id,
      amount: Number(payment.amount),
      currency: payment.currency,
      card,
      capture: true,
      merchantInitiated: payment.initiatedBy === 'merchant',
      threeDs: payment.threeDs as 'automatic' | 'force' | 'skip', // a CHECK constraint holds the column to the three
      signal,
    }),
  );
  // The cvc has done its work with the first authorization (contract 11).
  if (card.cvc !== null) await env.vault.forgetCvc(cardId);
  return outcome;
}

/** Tells the processor how the challenge went. */
export function continueAtProcessor(env: Env, attempt: TransactionRow, authentication: 'succeeded' | 'failed'): Promise<Outcome> {
  return ask(env, attempt, (processor, signal) => processor.continueAuthorization({ reference: attempt.id, authentication, signal }));
}

/** Asks what became of an attempt. */
export function findAtProcessor(env: Env, attempt: TransactionRow): Promise<Outcome | { result: 'unseen' }> {
  return ask(env, attempt, (processor, signal) => processor.find({ reference: attempt.id, signal }));
}

async function ask<Answer extends { result: string }>(env: Env, attempt: TransactionRow, call: (processor: CardProcessor, signal: AbortSignal) => Promise<Answer>): Promise<Answer> {
  const type = attempt.processorType ?? '';
  const processor = env.processors.get(type);
  if (!processor) throw new Error(`There is no processor of type ${type}.`);
  const begun = performance.now();
  let outcome = 'unknown';
  try {
    const answer = await withTimeout(attempt.id, env.config.processorTimeoutMs, (signal) => call(processor, signal));
    outcome = answer.result;
    return answer;
  } finally {
    env.metrics.processorCalled(type, outcome, (performance.now() - begun) / 1000);
  }
}
