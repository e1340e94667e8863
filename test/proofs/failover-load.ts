import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { type Answer, clientOf } from '../support/client.ts';
import type { SeededAccount } from '../support/seed.ts';

/** A call under one Idempotency-Key that is repeated until it is 200. */
export interface RepeatedCall {
  kind: 'charge' | 'refund' | 'hold' | 'capture' | 'key';
  /** The id of the payment, or of the API key that was made. */
  id: string;
}

/** What the calls since the last `measure` saw. */
export interface Measured {
  /** Answers by status, without 200; `none` for a broken connection. */
  errors: Record<string, number>;
  /** Milliseconds from the outage to the first 200 of a call that was sent after it. */
  firstMs: number;
  /** The same to the 200 of the last call that was in flight at the outage. */
  inFlightMs: number;
}

export interface FailoverLoad {
  acknowledged: RepeatedCall[];
  /** The longest time without a 200 since the last `measure`, in milliseconds. */
  longestPauseMs(): number;
  /** Notes the time of an outage; resolves when the calls of then and a later call are answered. */
  measure(): Promise<Measured>;
  stop(): Promise<void>;
}

const repeatMs = 250;
const clients = 6;

/**
 * Charges, refunds, holds, captures and keys without pause, each repeated with its key every 250 ms until it is 200.
 */
export function startFailoverLoad(
  url: string,
  { partnerKey, accounts, cards }: { partnerKey: string; accounts: readonly SeededAccount[]; cards: readonly string[] },
): FailoverLoad {
  const acknowledged: RepeatedCall[] = [];
  const inFlight = new Set<object>();
  let outages = 0;
  let outageAt = 0;
  let errors: Record<string, number> = {};
  let answered = Promise.withResolvers<number>();
  let isStopped = false;
  let lastAt = 0;
  let longestMs = 0;

  async function repeat(key: string, path: string, body: object): Promise<Answer['body']> {
    const api = clientOf({ url }, key);
    const headers = { 'Idempotency-Key': randomUUID() };
    const call = {};
    inFlight.add(call);
    const sentAfter = outages;
    for (;;) {
      const answer = await api.call(path, body, { headers }).catch(() => null);
      if (answer?.status === 200) {
        inFlight.delete(call);
        longestMs = Math.max(longestMs, performance.now() - lastAt);
        lastAt = performance.now();
        if (sentAfter > 0 && sentAfter === outages) answered.resolve(performance.now());
        return answer.body;
      }
      const status = answer === null ? 'none' : `${answer.status}${reasonOf(answer.body)}`;
      errors[status] = (errors[status] ?? 0) + 1;
      if (answer && ![409, 429, 503].includes(answer.status))
        throw new Error(`${path} answered ${answer.status}: ${JSON.stringify(answer.body)}`);
      await delay(repeatMs); // the rate at which a client repeats
    }
  }

  async function client(index: number): Promise<void> {
    const { id: accountId, subKey } = accounts[index % accounts.length] as SeededAccount; // there is at least one
    const paymentInstrumentId = cards[index % accounts.length];
    for (let round = 0; !isStopped; round++) {
      const isHold = round % 3 === 2;
      const charge = { paymentInstrumentId, amount: 500, currency: 'USD', ...(isHold && { mode: 'auth' }) };
      const { id } = (await repeat(subKey, '/payments/process', charge)).payment;
      acknowledged.push({ kind: isHold ? 'hold' : 'charge', id });
      if (isHold) {
        await repeat(subKey, '/payments/capture', { paymentId: id });
        acknowledged.push({ kind: 'capture', id });
      }
      if (round % 3 === 1) {
        await repeat(subKey, '/payments/refund', { paymentId: id, amount: 200 });
        acknowledged.push({ kind: 'refund', id });
      }
      if (index === 0 && round % 10 === 0) {
        const made = await repeat(partnerKey, `/accounts/${accountId}/api-keys`, { label: 'failover' });
        acknowledged.push({ kind: 'key', id: made.id });
      }
    }
  }

  const running = Promise.all(Array.from({ length: clients }, (_, index) => client(index)));
  running.catch((error: unknown) => answered.reject(error));
  return {
    acknowledged,
    longestPauseMs: () => longestMs,
    async measure() {
      errors = {};
      answered = Promise.withResolvers();
      outageAt = performance.now();
      [lastAt, longestMs] = [outageAt, 0];
      outages += 1;
      const open = new Set(inFlight);
      const firstMs = answered.promise.then((at) => at - outageAt);
      while ([...open].some((call) => inFlight.has(call))) await Promise.race([delay(20), running]);
      const inFlightMs = performance.now() - outageAt;
      return { errors, firstMs: await firstMs, inFlightMs };
    },
    async stop() {
      isStopped = true;
      await running;
    },
  };
}

function reasonOf(body: Answer['body']): string {
  return typeof body?.data?.reason === 'string' ? ` ${body.data.reason}` : '';
}

/** Acknowledged effects that are not there, and effects that were not acknowledged or that are there twice. */
export async function lostAndDouble(
  pool: pg.Pool,
  acknowledged: readonly RepeatedCall[],
): Promise<{ lost: number; double: number }> {
  const ofKind = (...kinds: RepeatedCall['kind'][]) =>
    acknowledged.filter(({ kind }) => kinds.includes(kind)).map(({ id }) => id);
  const sides = [
    [ofKind('charge', 'hold'), `SELECT id FROM payments WHERE "subscriptionId" IS NULL`],
    [ofKind('capture'), `SELECT "paymentId" AS id FROM transactions WHERE type = 'capture' AND status = 'succeeded'`],
    [ofKind('refund'), `SELECT "paymentId" AS id FROM transactions WHERE type = 'refund' AND status = 'succeeded'`],
    [ofKind('key'), `SELECT id FROM api_keys WHERE label = 'failover'`],
  ] as const;
  let [lost, double] = [0, 0];
  for (const [acknowledged, statement] of sides) {
    const { rows } = await pool.query<{ id: string }>(statement);
    const found = new Set(rows.map(({ id }) => id));
    lost += acknowledged.filter((id) => !found.has(id)).length;
    double += rows.length - new Set(acknowledged).size;
  }
  return { lost, double };
}
