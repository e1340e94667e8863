// guards: src/jobs src/limits src/domains/payments/resolution src/domains/webhooks/deliveries src/database/tenant-queue.ts
import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Client, clientOf } from '../support/client.ts';
import { freshDatabase } from '../support/database.ts';
import { startTestPlatform, type TestPlatform } from '../support/platform.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { type SeededAccount, type SeededPartner, seedPartner } from '../support/seed.ts';
import { type ServerProcess, startServerProcess } from '../support/server-process.ts';

// FLOOD_SECONDS=300 makes each phase five minutes. The table is printed; what is asserted are promises of the contract.
const phaseS = Number(process.env['FLOOD_SECONDS'] ?? 10);
/** An unknown outcome is resolved within this time (docs/contract/10-payments.md). */
const resolvedWithinMs = 60_000;
const env: Record<string, string> = {
  VAULT_KEYS: `test:${randomBytes(32).toString('base64')}`,
  FINGERPRINT_KEY: randomBytes(32).toString('base64'),
  IDP_SECRET: randomBytes(32).toString('base64'),
  PROCESSOR_TIMEOUT_MS: '3000',
  WEBHOOK_ALLOW_PRIVATE: 'true',
  LOG_LEVEL: 'error',
};

/** How long what a merchant does takes, in milliseconds, by what it is. */
type Day = Map<string, number[]>;

const quantile = (values: readonly number[], share: number): number =>
  values.toSorted((left, right) => left - right)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? 0;

function printDays(title: string, days: Readonly<Record<string, Day>>): void {
  console.log(`${title} (ms; p50, p99, worst of n)`);
  for (const what of new Set(Object.values(days).flatMap((day) => [...day.keys()]))) {
    const cells = Object.entries(days).map(([name, day]) => {
      const values = day.get(what) ?? [];
      const [p50, p99, worst] = [0.5, 0.99, 1].map((share) => Math.round(quantile(values, share)));
      return `${name} ${p50}, ${p99}, ${worst} of ${values.length}`;
    });
    console.log(`  ${what}: ${cells.join(' | ')}`);
  }
}

describe.each([1, 3])('%s server processes', (count) => {
  let observer: TestPlatform;
  let servers: ServerProcess[];
  let silent: Receiver;
  let prompt: Receiver;
  let attackers: SeededAccount[];
  let shop: SeededAccount;
  let attacker: SeededPartner;
  /** When the first event of a payment of the shop arrived. */
  const arrivedAt = new Map<string, number>();

  beforeAll(async () => {
    const databaseUrl = await freshDatabase();
    observer = await startTestPlatform({ databaseUrl, env });
    attacker = await seedPartner(observer);
    attackers = await Promise.all(Array.from({ length: 9 }, () => attacker.account()));
    shop = await (await seedPartner(observer)).account();
    silent = await startReceiver(() => undefined);
    prompt = await startReceiver(({ event }) => {
      arrivedAt.set(String(event.data.object['id']), performance.now());
      return 200;
    });
    await shop.api.ok('/webhooks', { url: prompt.url, eventTypes: ['payment/succeeded'] });
    for (const { api } of attackers)
      for (let n = 0; n < 10; n++) await api.ok('/webhooks', { url: silent.url, eventTypes: ['payment/succeeded'] });
    servers = await Promise.all(
      Array.from({ length: count }, () => startServerProcess({ ...env, DATABASE_URL: databaseUrl })),
    );
  });
  afterAll(async () => {
    for (const server of servers ?? []) await server.kill();
    await observer?.close();
    await silent?.close();
    await prompt?.close();
  });

  const apiOf = ({ subKey }: SeededAccount, call: number): Client =>
    clientOf(servers[call % servers.length] as ServerProcess, subKey);

  /** Nine accounts with eight callers each, as fast as they are answered: charges of silent processors, and events. */
  async function flood(until: AbortSignal): Promise<number> {
    let calls = 0;
    const callers = attackers.flatMap((account, index) =>
      Array.from({ length: 8 }, async () => {
        const { id: paymentInstrumentId } = await account.instrument('4242424242424242');
        const charge = { storeId: account.storeId, paymentInstrumentId, amount: 100, currency: 'USD' };
        if (index % 2 === 0)
          await observer.services.pool.query(
            `UPDATE processors SET options = '{"latencyMs": 60000}' WHERE "platformAccountId" = $1`,
            [account.id],
          );
        while (!until.aborted) {
          await apiOf(account, calls++).call('/payments/process', charge, {
            headers: { 'Idempotency-Key': randomUUID() },
          });
          await delay(5);
        }
      }),
    );
    await Promise.all(callers);
    return calls;
  }

  /** An ordinary day of the shop: each call succeeds, each event arrives, each unknown outcome is resolved. */
  async function live(until: AbortSignal): Promise<Day> {
    const day: Day = new Map();
    const note = (what: string, ms: number) => day.set(what, [...(day.get(what) ?? []), ms]);
    const begunAt = new Map<string, number>();
    const resolving: Promise<void>[] = [];
    let calls = 0;
    const timed = async <Result>(what: string, run: (api: Client) => Promise<Result>): Promise<Result> => {
      const from = performance.now();
      const result = await run(apiOf(shop, calls++));
      note(what, performance.now() - from);
      return result;
    };
    const { id: paymentInstrumentId } = await shop.instrument('4242424242424242');
    const { id: losing } = await shop.instrument('4000000000006975');
    const order = { storeId: shop.storeId, amount: 2500, currency: 'USD' };
    while (!until.aborted) {
      const { payment } = await timed('charge', (api) =>
        api.ok('/payments/process', { ...order, paymentInstrumentId }),
      );
      begunAt.set(payment.id, performance.now());
      await timed('refund', (api) => api.ok('/payments/refund', { paymentId: payment.id }));
      await timed('read', (api) => api.ok(`/payments/${payment.id}`));
      if (calls % 30 === 3) resolving.push(resolved(losing));
      await delay(300); // below the rate that its plan sustains
    }
    await Promise.all(resolving);
    await expect.poll(() => [...begunAt.keys()].filter((id) => !arrivedAt.has(id)), { timeout: 30_000 }).toEqual([]);
    for (const [id, begun] of begunAt) note('webhook after the answer', Math.max(0, (arrivedAt.get(id) ?? 0) - begun));
    return day;

    async function resolved(instrument: string): Promise<void> {
      const charge = { ...order, paymentInstrumentId: instrument };
      const { body } = await apiOf(shop, calls++).call('/payments/process', charge);
      const from = performance.now();
      const state = async () => (await shop.api.ok(`/payments/${body.payment.id}`)).payment.status;
      await expect.poll(state, { timeout: resolvedWithinMs, interval: 1_000 }).toBe('succeeded');
      note('unknown outcome', performance.now() - from);
    }
  }

  test('calls, webhooks and unknown outcomes of a merchant keep their promises while a partner floods', {
    timeout: (3 * phaseS + 240) * 1_000,
  }, async () => {
    const quiet = await live(AbortSignal.timeout(phaseS * 1_000));
    const stop = new AbortController();
    const flooding = flood(stop.signal);
    await delay(3_000);
    const flooded = await live(AbortSignal.timeout(phaseS * 1_000));
    stop.abort();
    const calls = await flooding;
    printDays(`${count} processes; the flood made ${calls} calls in ${phaseS + 3} s`, { quiet, flooded });
    expect(calls).toBeGreaterThan(100);
    expect(Math.max(...(flooded.get('unknown outcome') ?? [0]))).toBeLessThan(resolvedWithinMs);
  });
});
