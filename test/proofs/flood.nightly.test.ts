// guards: src/jobs src/limits src/domains/payments/resolution src/domains/webhooks/deliveries src/database/tenant-queue.ts
import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { IdpUser } from '../../src/ports/identity-provider.ts';
import { makePerson, password } from '../iam/people.ts';
import { type Client, clientOf } from '../support/client.ts';
import { freshDatabase } from '../support/database.ts';
import { startTestPlatform, type TestPlatform } from '../support/platform.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { type SeededAccount, type SeededPartner, seedPartner } from '../support/seed.ts';
import { newSecrets, type ServerProcess, startServerProcess } from '../support/server-process.ts';
import { sendEvent } from '../support/stripe/events.ts';
import type { StripeEvent } from '../support/stripe/ledger.ts';
import { priceOf } from '../support/subscriptions.ts';

// FLOOD_SECONDS=300 makes each phase five minutes. The table is printed; what is asserted are promises of the contract.
const phaseS = Number(process.env['FLOOD_SECONDS'] ?? 10);
/** An unknown outcome is resolved within this time (docs/contract/10-payments.md). */
const resolvedWithinMs = 60_000;
const env: Record<string, string> = {
  ...newSecrets(),
  PROCESSOR_TIMEOUT_MS: '3000',
  WEBHOOK_ALLOW_PRIVATE: 'true',
  LOG_LEVEL: 'error',
  TRUST_PROXY: '1',
  // Nothing listens there: what a hook of the attacker asks Stripe fails.
  STRIPE_API_BASE: 'http://127.0.0.1:9',
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
  /** An admin of each partner. */
  let boss: IdpUser;
  let accomplice: IdpUser;
  let priceId: string;
  let hooks: { processorId: string; secret: string };
  /** When the first event of a payment of the shop arrived. */
  const arrivedAt = new Map<string, number>();

  beforeAll(async () => {
    const databaseUrl = await freshDatabase();
    observer = await startTestPlatform({ databaseUrl, env });
    attacker = await seedPartner(observer);
    attackers = await Promise.all(Array.from({ length: 9 }, () => attacker.account()));
    const partner = await seedPartner(observer);
    shop = await partner.account();
    priceId = await priceOf(shop);
    boss = await makePerson(observer, { platformRoles: ['partneradmin'], whitelabelOwnership: partner.slug });
    accomplice = await makePerson(observer, { platformRoles: ['partneradmin'], whitelabelOwnership: attacker.slug });
    const secret = `whsec_${randomBytes(24).toString('base64')}`;
    const made = await attackers[0]?.api.ok('/processors/create', {
      name: 'Stripe',
      type: 'stripe',
      options: { secretKey: `sk_test_${randomBytes(12).toString('hex')}`, webhookSecret: secret },
    });
    hooks = { processorId: made.id, secret };
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

  const urlOf = (call: number): string => (servers[call % servers.length] as ServerProcess).url;

  const send = (url: string, from: string, body?: unknown, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(url, {
      redirect: 'manual',
      headers: { 'Content-Type': 'application/json', 'X-Forwarded-For': from, ...headers },
      ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
    });

  async function signIn({ email }: IdpUser, from: string, call: number): Promise<string> {
    const response = await send(`${urlOf(call)}/idp/sign-in/email`, from, { email, password });
    expect(response.status).toBe(200);
    return response.headers
      .getSetCookie()
      .map((line) => line.split(';')[0])
      .join('; ');
  }

  /** Exports the payments of a partner. The number of bytes of the file, or of the refusal. */
  async function exportPayments(Cookie: string, from: string, call: number): Promise<{ ok: boolean }> {
    const query = 'mutation { createExport(list: { payments: {} }, mode: test) { url } }';
    const answer = await (await send(`${urlOf(call)}/graphql`, from, { query }, { Cookie })).json();
    const url = answer.data?.createExport?.url;
    if (url === undefined) return { ok: false };
    const { pathname } = new URL(url);
    const file = await send(`${urlOf(call)}${pathname}`, from, undefined, { Cookie });
    await file.text();
    return { ok: file.status === 200 };
  }

  /** What a partner may send to other places than the API, each as often as it is answered. */
  async function floodElsewhere(until: AbortSignal, count: () => number): Promise<void> {
    const Cookie = await signIn(accomplice, '198.51.100.1', 0);
    const event = (): StripeEvent =>
      ({
        id: `evt_${randomBytes(8).toString('hex')}`,
        object: 'event',
        type: 'charge.refunded',
        created: Math.floor(Date.now() / 1_000),
        livemode: false,
        data: { object: { id: `ch_${randomBytes(8).toString('hex')}`, object: 'charge', payment_intent: 'pi_none' } },
      }) as unknown as StripeEvent; // any shape
    const invitation = (call: number) => ({ email: `target${call}@example.com`, roles: ['accountmanager'] });
    const kinds: ((call: number) => Promise<unknown>)[] = [
      (call) =>
        sendEvent(event(), {
          url: `${urlOf(call)}/hooks/processors/stripe?processor=${hooks.processorId}`,
          secret: hooks.secret,
        }),
      (call) => exportPayments(Cookie, '198.51.100.2', call),
      (call) =>
        send(`${urlOf(call)}/api/v1/iam/partners/${attacker.slug}/staff/invite`, '198.51.100.3', invitation(call), {
          Cookie,
        }),
      (call) =>
        send(`${urlOf(call)}/idp/sign-in/email`, `198.51.100.${4 + (call % 200)}`, {
          email: boss.email,
          password: 'wrong wrong',
        }),
      (call) => send(`${urlOf(call)}/idp/sign-in`, `198.51.100.${4 + (call % 200)}`),
      (call) => send(`${urlOf(call)}/api/public/v1/openapi.json`, `198.51.100.${4 + (call % 200)}`),
    ];
    await Promise.all(
      kinds.flatMap((kind) =>
        Array.from({ length: 2 }, async () => {
          while (!until.aborted) {
            const answer = await kind(count());
            if (answer instanceof Response) await answer.arrayBuffer();
            await delay(5);
          }
        }),
      ),
    );
  }

  /** Nine accounts with eight callers each, as fast as they are answered: charges of silent processors, and events. */
  async function flood(until: AbortSignal): Promise<number> {
    let calls = 0;
    const elsewhere = floodElsewhere(until, () => calls++);
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
    await Promise.all([...callers, elsewhere]);
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
    const ofPeople = livePeople(until, note);
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
    await Promise.all([...resolving, ofPeople]);
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

  /** A person of the shop's partner signs in and exports, and a subscription is renewed, every seven seconds. */
  async function livePeople(until: AbortSignal, note: (what: string, ms: number) => void): Promise<void> {
    const from = '203.0.113.1';
    const timed = async <Result>(what: string, run: () => Promise<Result>): Promise<Result> => {
      const begun = performance.now();
      const result = await run();
      note(what, performance.now() - begun);
      return result;
    };
    for (let call = 0; !until.aborted; call++) {
      const Cookie = await timed('sign-in', () => signIn(boss, from, call));
      expect(await timed('export', () => exportPayments(Cookie, from, call))).toEqual({ ok: true });
      await timed('renewal', renewal);
      await delay(7_000, undefined, { signal: until }).catch(() => {});
    }
  }

  /** A trial ends: the first charge is due. */
  async function renewal(): Promise<void> {
    const { customerId } = await shop.instrument('4242424242424242');
    const { id } = await shop.api.ok('/subscriptions/create', { customerId, priceId, trialDays: 1 });
    await observer.services.pool.query(
      `UPDATE subscriptions SET "trialEndsAt" = now(), "currentPeriodEnd" = now(), "nextBillingDate" = now(), "dueAt" = now()
       WHERE id = $1`,
      [id],
    );
    const state = async () => (await shop.api.ok(`/subscriptions/${id}`)).status;
    await expect.poll(state, { timeout: resolvedWithinMs, interval: 250 }).toBe('active');
  }

  test('calls, webhooks, unknown outcomes, renewals, sign-ins and exports of a merchant keep their promises while a partner floods', {
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
