import type { Env } from '../env.ts';
import { type CardProcessor, type FollowUpOutcome, type Outcome, withTimeout } from '../ports/card-processor.ts';
import type { ProcessorConnection } from '../ports/processor-connection.ts';
import { connectionTo } from '../processors/operations.ts';
import { mayTryAnother } from './policy.ts';
import type { PaymentRow, TransactionRow } from './types.ts';

/**
 * Sends an attempt to its processor. Throws when the outcome is unknown: then ask later, never guess. Whoever has the processor's
 * record at hand gives the connection along; otherwise it is read.
 */
export async function authorizeAtProcessor(
  env: Env,
  payment: PaymentRow,
  attempt: TransactionRow,
  cardId: string,
  connection?: ProcessorConnection,
): Promise<Outcome> {
  const card = await env.vault.reveal(cardId);
  const outcome = await ask(env, attempt, connection, (port, { processor, signal }) =>
    port.authorize({
      processor,
      reference: attempt.id,
      amount: Number(payment.amount),
      currency: payment.currency,
      card,
      capture: attempt.type === 'purchase',
      merchantInitiated: payment.initiatedBy === 'merchant',
      threeDs: payment.threeDs as 'automatic' | 'force' | 'skip', // a CHECK constraint holds the column to the three
      returnUrl: `${env.config.publicUrl}/3ds/return/${attempt.id}`,
      signal,
    }),
  );
  // The cvc has done its work with the first authorization (contract 11), which a cascade makes at several processors.
  if (card.cvc !== null && !(payment.cascade !== null && mayTryAnother(outcome))) await env.vault.forgetCvc(cardId);
  return outcome;
}

/** Tells the processor how the challenge went. */
export function continueAtProcessor(
  env: Env,
  attempt: TransactionRow,
  authentication: 'succeeded' | 'failed',
): Promise<Outcome> {
  return ask(env, attempt, undefined, (port, call) =>
    port.continueAuthorization({ ...call, reference: attempt.id, authentication }),
  );
}

/** Asks what became of an attempt. */
export function findAtProcessor(env: Env, attempt: TransactionRow): Promise<Outcome | { result: 'unseen' }> {
  return ask(env, attempt, undefined, (port, call) => port.find({ ...call, reference: attempt.id }));
}

/** Sends a capture, void or refund of an approved authorization. Throws when the outcome is unknown. */
export function followUpAtProcessor(
  env: Env,
  followUp: TransactionRow,
  authorizationReference: string,
): Promise<FollowUpOutcome> {
  const type = followUp.type as 'capture' | 'void' | 'refund'; // the callers hand over no other
  const { amount, currency } = followUp;
  return ask(env, followUp, undefined, (port, call) =>
    port[type]({ ...call, reference: followUp.id, authorizationReference, amount: Number(amount), currency }),
  );
}

/** Asks what became of a capture, void or refund. */
export function findFollowUpAtProcessor(
  env: Env,
  followUp: TransactionRow,
  authorizationReference: string,
): Promise<FollowUpOutcome | { result: 'unseen' }> {
  const type = followUp.type as 'capture' | 'void' | 'refund'; // the callers hand over no other
  return ask(env, followUp, undefined, (port, call) =>
    port.findFollowUp({ ...call, reference: followUp.id, type, authorizationReference }),
  );
}

type Call<Answer> = (
  port: CardProcessor,
  call: { processor: ProcessorConnection; signal: AbortSignal },
) => Promise<Answer>;

async function ask<Answer extends { result: string }>(
  env: Env,
  attempt: TransactionRow,
  connection: ProcessorConnection | undefined,
  call: Call<Answer>,
): Promise<Answer> {
  const type = attempt.processorType ?? '';
  const port = env.processors.get(type);
  if (!port) throw new Error(`There is no processor of type ${type}.`);
  const processor = connection ?? (await connectionTo(env, attempt.processorId ?? ''));
  const begun = performance.now();
  let outcome = 'unknown';
  try {
    const answer = await withTimeout(attempt.id, env.config.processorTimeoutMs, (signal) =>
      call(port, { processor, signal }),
    );
    outcome = answer.result;
    return answer;
  } finally {
    env.metrics.processorCalled(type, outcome, (performance.now() - begun) / 1000);
  }
}
