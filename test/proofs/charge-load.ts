import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'vitest';
import { type Answer, clientOf } from '../support/client.ts';
import type { SeededAccount } from '../support/seed.ts';

/** One charge under one Idempotency-Key, and every answer to it. */
export interface ChargeCall {
  idempotencyKey: string;
  account: SeededAccount;
  body: Record<string, unknown>;
  answers: Answer[];
}

export interface ChargeLoad {
  calls: ChargeCall[];
  /** Sends a new charge every 20 ms until `stopped` is aborted, without waiting for answers. */
  run(url: () => string, stopped: AbortSignal): Promise<void>;
  /** Repeats every call that has no 200 yet, a few at a time, and those that are 429 once more when they may be. */
  repeat(url: string, which?: (call: ChargeCall) => boolean): Promise<void>;
}

const paceMs = 20;
const repeatsAtOnce = 24;

/** Every outcome of a charge is among the cards, approval most often. */
const cards = [
  'tok_visa',
  'tok_visa',
  'tok_visa',
  'tok_visa',
  'tok_visa_declined',
  'tok_visa_3ds',
  '4000000000006975',
  '4000000000000119',
];

export async function chargeLoad(accounts: readonly SeededAccount[], random: () => number): Promise<ChargeLoad> {
  const instruments: { id: string }[][] = [];
  // One account after the other: this is preparation, and not a test of the pool.
  for (const account of accounts) instruments.push(await Promise.all(cards.map((card) => account.instrument(card))));
  const calls: ChargeCall[] = [];
  const pick = (count: number): number => Math.floor(random() * count);

  function next(): ChargeCall {
    const which = calls.length % accounts.length;
    const account = accounts[which];
    const instrument = instruments[which]?.[pick(cards.length)];
    if (!account || !instrument) throw new Error('A load needs an account.');
    const body = {
      storeId: account.storeId,
      paymentInstrumentId: instrument.id,
      amount: 100 + pick(10_000),
      currency: 'USD',
    };
    const call = { idempotencyKey: `charge-${calls.length}`, account, body, answers: [] };
    calls.push(call);
    return call;
  }

  return {
    calls,
    async run(url, stopped) {
      const sent: Promise<unknown>[] = [];
      while (!stopped.aborted) {
        sent.push(send(url(), next()));
        await delay(paceMs); // the rate of the load, not a wait for a condition
      }
      await Promise.all(sent);
    },
    async repeat(url, which = (call) => succeeded(call).length === 0) {
      const open = calls.filter(which).values();
      await Promise.all(
        Array.from({ length: repeatsAtOnce }, async () => {
          for (const call of open) await sendWhenAllowed(url, call);
        }),
      );
    },
  };
}

/** Stored answers come faster than an account may ask for them. */
async function sendWhenAllowed(url: string, call: ChargeCall): Promise<void> {
  let answer = await send(url, call);
  while (answer && isRefused(answer)) {
    await delay(answer.body.data.retryAfter * 1_000); // as the answer asks
    answer = await send(url, call);
  }
}

/** Undefined without an answer: the connection was refused or broken. The repeat shows whether there was an effect. */
async function send(url: string, call: ChargeCall): Promise<Answer | undefined> {
  const { account, body, idempotencyKey, answers } = call;
  const answer = await clientOf({ url }, account.subKey)
    .call('/payments/process', body, { headers: { 'Idempotency-Key': idempotencyKey } })
    .catch(() => undefined);
  if (answer) answers.push(answer);
  return answer;
}

export function succeeded(call: ChargeCall): Answer[] {
  return call.answers.filter(({ status }) => status === 200);
}

/** Whether a limit was reached, or the server was overloaded: nothing was done. */
export function isRefused({ status, body }: Answer): boolean {
  return status === 429 || (status === 503 && /overloaded\. No changes were made/.test(body.message));
}

/** Answers that are neither a result nor an expected error. */
export function unexpectedAnswers(
  calls: readonly ChargeCall[],
  isFine: (answer: Answer) => boolean,
): { idempotencyKey: string; status: number; body: unknown }[] {
  return calls.flatMap(({ idempotencyKey, answers }) =>
    answers
      .filter((answer) => answer.status !== 200 && !isRefused(answer) && !isFine(answer))
      .map(({ status, body }) => ({ idempotencyKey, status, body })),
  );
}

export function isInUse({ status, body }: Answer): boolean {
  return status === 409 && body.data.reason === 'idempotency_key_in_use';
}

/** The database is away: the answer says what the call may have done, and nothing of the database. */
export function isUnavailable({ status, body }: Answer): boolean {
  const { code, message, data } = body;
  return (
    status === 503 &&
    code === 'SERVICE_UNAVAILABLE' &&
    message.startsWith('Temporarily unavailable. ') &&
    ['none', 'unknown'].includes(data.effect)
  );
}

/** One payment and one answer per key, however often the call was repeated. */
export function expectOneAnswerAKey(calls: readonly ChargeCall[]): void {
  const payments = new Set<string>();
  for (const call of calls) {
    const [first, ...more] = succeeded(call);
    if (!first) throw new Error(`${call.idempotencyKey} was never answered: ${JSON.stringify(call.answers)}`);
    for (const answer of more) expect(answer.body, call.idempotencyKey).toEqual(first.body);
    expect(payments.has(first.body.payment.id), `${call.idempotencyKey} returned another key's payment`).toBe(false);
    payments.add(first.body.payment.id);
  }
}

/** Makes the store's charges cascade over processors with these configurations. */
export async function cascadeAt({ api, storeId }: SeededAccount, ...options: object[]): Promise<string[]> {
  const ids: string[] = [];
  for (const given of options)
    ids.push((await api.ok('/processors/create', { name: 'Rehearsal', type: 'test', options: given })).id);
  const { id: paymentFlowId } = await api.ok('/payment-flows/create', {
    name: 'Cascade',
    strategy: 'cascade',
    processors: [{ processorId: ids[0] }],
    fallbacks: ids.slice(1).map((processorId, order) => ({ processorId, order })),
  });
  await api.ok(`/stores/${storeId}`, { paymentFlowId }, { method: 'PUT' });
  return ids;
}
