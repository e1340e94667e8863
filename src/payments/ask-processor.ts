import type { Env } from '../env.ts';
import { type CardProcessor, type FollowUpOutcome, type Outcome, withTimeout } from '../ports/card-processor.ts';
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
      capture: attempt.type === 'purchase',
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

/** Sends a capture, void or refund of an approved authorization. Throws when the outcome is unknown. */
export function followUpAtProcessor(env: Env, followUp: TransactionRow, authorizationReference: string): Promise<FollowUpOutcome> {
  const type = followUp.type as 'capture' | 'void' | 'refund'; // the callers hand over no other
  const { amount, currency } = followUp;
  return ask(env, followUp, (processor, signal) => processor[type]({ reference: followUp.id, authorizationReference, amount: Number(amount), currency, signal }));
}

/** Asks what became of a capture, void or refund. */
export function findFollowUpAtProcessor(env: Env, followUp: TransactionRow): Promise<FollowUpOutcome | { result: 'unseen' }> {
  return ask(env, followUp, (processor, signal) => processor.findFollowUp({ reference: followUp.id, signal }));
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
