// guards: src/unit-of-work src/database src/domains/payments src/adapters/test-processor src/domains/subscriptions src/domains/funnels src/jobs src/call
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { setWaits } from '../../src/database/waits.ts';
import { verifyLedger } from '../../src/domains/ledger/verify-ledger.ts';
import { resolveUnknownPayments } from '../../src/domains/payments/resolution/resolve.ts';
import { runDueSubscriptions } from '../../src/domains/subscriptions/periods/run-subscription.ts';
import { manualClock } from '../../src/lib/clock.ts';
import { makePerson, type SignedIn, signIn } from '../iam/people.ts';
import { type Answer, clientOf } from '../support/client.ts';
import { freshDatabase } from '../support/database.ts';
import { expectEventsToBeWhole } from '../support/ledger.ts';
import { startTestPlatform, type TestPlatform } from '../support/platform.ts';
import { limitRefunds } from '../support/refund-limit.ts';
import { type SeededAccount, type SeededPartner, seedPartner } from '../support/seed.ts';
import { startServerProcess } from '../support/server-process.ts';
import { chargesOf, dayMs, passTo, priceOf } from '../support/subscriptions.ts';
import { cascadeAt } from './charge-load.ts';

/** A call that a server has not answered when it is killed. */
interface Point {
  name: string;
  /**
   * What keeps the call from its answer. The locks are taken in the order of the table: a wide one keeps the calls after
   * it from their places, and a statement waits for a row for five seconds.
   */
  heldBy: string;
  /** Whether a day passes before the call. */
  isForTomorrow?: true;
  /** Makes what the call needs, in an account of its own. */
  prepare(account: SeededAccount): Promise<Prepared>;
}

interface Prepared {
  /** Takes the lock and sends the call, which ends with 'cut off'. */
  call(server: { url: string }): Promise<unknown>;
  /** Whether the call has come to where it is held. */
  isHeld(): Promise<boolean>;
  /** The same call under the same Idempotency-Key, to the server after the killed one. */
  repeat?: () => Promise<Answer>;
  /** What is so before the processor was asked for the outcome. */
  before?: () => Promise<void>;
  /** What is so after the processor was asked. */
  after(): Promise<void>;
}

const secret = () => randomBytes(32).toString('base64');
const env: Record<string, string> = {
  VAULT_KEYS: `test:${secret()}`,
  FINGERPRINT_KEY: secret(),
  IDP_SECRET: secret(),
  PROCESSOR_TIMEOUT_MS: '30000',
};
/** Longer than a server lives here. */
const slowMs = 29_000;
/** The server after the killed one. Its jobs run when the test runs them, at a time of the test. */
const clock = manualClock(new Date(Date.now() - dayMs));
let next: TestPlatform;
let partner: SeededPartner;
/** Hold the locks that end with the kill, and the one that ends after the job has sent the calls again. */
let untilKilled: pg.Client;
let untilSentAgain: pg.Client;
const prepared = new Map<Point, Prepared>();
let isKilled = false;

beforeAll(async () => {
  env['DATABASE_URL'] = await freshDatabase();
  next = await startTestPlatform({ databaseUrl: env['DATABASE_URL'], env, clock });
  setWaits(next.services.pool, { runningCallMs: 400 });
  partner = await seedPartner(next);
  [untilKilled, untilSentAgain] = [await beginTransaction(), await beginTransaction()];
});
afterAll(async () => {
  for (const client of [untilKilled, untilSentAgain]) await client?.end();
  await next?.close();
});

/** Of a client that may hold its locks as long as it will. */
async function beginTransaction(): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: next.databaseUrl });
  await client.connect();
  await client.query('BEGIN');
  return client;
}

const count = async (text: string, ...values: unknown[]): Promise<number> =>
  (await next.services.pool.query(`SELECT count(*)::int AS n FROM ${text}`, values)).rows[0].n;
const cutOff = (answer: Promise<unknown>) => answer.catch(() => 'cut off');

/** The calls of one account under one key, to the server that is killed and to the next one. */
function keyed(account: SeededAccount, path: string, body: object) {
  const options = { headers: { 'Idempotency-Key': path } };
  return {
    call: (server: { url: string }) => cutOff(clientOf(server, account.subKey).call(path, body, options)),
    repeat: () => account.api.call(path, body, options),
  };
}

async function repeated({ repeat }: Pick<Prepared, 'repeat'>): Promise<Answer['body']> {
  const answer = await repeat?.();
  expect(answer?.status).toBe(200);
  expect((await repeat?.())?.body).toEqual(answer?.body);
  return answer?.body;
}

/** Statements that wait for a lock at the test processor. */
async function pidsWaitingAtProcessor(statement: string): Promise<number[]> {
  const { rows } = await next.services.pool.query<{ pid: number }>(
    `SELECT pid FROM pg_stat_activity
    WHERE datname = current_database() AND application_name = 'test-processor'
      AND wait_event_type = 'Lock' AND query LIKE '%' || $1 || '%'`,
    [statement],
  );
  return rows.map(({ pid }) => pid);
}

/** The charges of an account in the processor's records. */
const chargesAtProcessor = ({ id }: SeededAccount): Promise<number> =>
  count('test_processor.charges c JOIN transactions t ON t.id = c.reference WHERE t."platformAccountId" = $1', id);

async function answerAfter(account: SeededAccount, latencyMs: number): Promise<void> {
  const [processor] = (await account.api.ok('/processors/list', {})).items;
  await account.api.ok(`/processors/${processor.id}`, { options: { latencyMs } }, { method: 'PUT' });
}

const eventsOf = async (objectId: string): Promise<string[]> =>
  (await next.services.prisma.event.findMany({ where: { objectId }, orderBy: { sequence: 'asc' } })).map(
    ({ type }) => type,
  );

/** Charged once, in the records of both sides. */
async function expectChargedOnce(account: SeededAccount, paymentId: string): Promise<void> {
  const { rows } = await next.services.pool.query(
    `SELECT p.status, t.amount = c.amount AND p."capturedAmount" = c."capturedAmount" AS same, c.status AS theirs
    FROM payments p
    JOIN transactions t ON t."paymentId" = p.id AND t.status = 'succeeded'
    JOIN test_processor.charges c ON c.reference = t.id AND c."processorReference" = t."processorReference"
    WHERE p.id = $1`,
    [paymentId],
  );
  expect(rows).toEqual([{ status: 'succeeded', same: true, theirs: 'captured' }]);
  expect(await count('payments WHERE "platformAccountId" = $1', account.id)).toBe(1);
}

/** A charge that cascades and that a slow processor has. */
function inCascade(name: string, options: object[], attempts: number): Point {
  return {
    name: `a cascade, while the ${name} processor has it`,
    heldBy: 'a slow processor',
    async prepare(account) {
      const ids = await cascadeAt(account, ...options);
      const { id: paymentInstrumentId } = await account.instrument();
      const charge = keyed(account, '/payments/process', { paymentInstrumentId, amount: 4_200, currency: 'USD' });
      return {
        ...charge,
        isHeld: async () => (await chargesAtProcessor(account)) === attempts,
        async after() {
          const { payment, transactions } = await repeated(charge);
          expect(payment).toMatchObject({ status: 'succeeded', capturedAmount: 4_200, processorId: ids[1] });
          expect(transactions.map(({ status, processorId }: any) => [status, processorId])).toEqual([
            ['failed', ids[0]],
            ['succeeded', ids[1]],
          ]);
          expect(await eventsOf(payment.id)).toEqual(['payment/created', 'payment/succeeded']);
          expect(await chargesAtProcessor(account)).toBe(2);
          await expectChargedOnce(account, payment.id);
        },
      };
    },
  };
}

const card = JSON.stringify({ cardNumber: '5555555555554444', expiry: '12 / 35', cvc: '123' });
const pay = async ({ url }: { url: string }, path: string): Promise<number> => {
  const headers = { 'Content-Type': 'application/json' };
  return (await fetch(`${url}${path}/pay`, { method: 'POST', headers, body: card })).status;
};
const show = async (path: string): Promise<[number, string]> => {
  const response = await fetch(`${next.url}${path}`, { headers: { Accept: 'text/html' } });
  return [response.status, await response.text()];
};

/** A cardholder pays on the page of a subscription, whose first charge after its trial wants a challenge. */
function onThePage(
  name: string,
  heldBy: string,
  held: (
    account: SeededAccount,
    subscriptionId: string,
    send: (server: { url: string }) => Promise<unknown>,
  ) => Pick<Prepared, 'call' | 'isHeld'>,
): Point {
  return {
    name,
    heldBy,
    isForTomorrow: true,
    async prepare(account) {
      const { customerId } = await account.instrument('4000002760003184');
      const priceId = await priceOf(account);
      const { id } = await account.api.ok('/subscriptions/create', { customerId, priceId, trialDays: 1 });
      const path = async () => new URL((await read()).actionRequired.url).pathname;
      const read = () => account.api.ok(`/subscriptions/${id}`);
      let page = '';
      return {
        ...held(account, id, async (server) => {
          page = await path();
          return cutOff(pay(server, page));
        }),
        async before() {
          await answerAfter(account, 0);
          const charges = await chargesAtProcessor(account);
          expect(await show(page)).toEqual([200, expect.stringContaining('You are charged at most once')]);
          expect(await pay(next, page)).toBe(200);
          expect(await chargesAtProcessor(account)).toBe(charges);
        },
        async after() {
          expect(await read()).toMatchObject({ status: 'active', latestPayment: { status: 'succeeded' } });
          expect(await show(page)).toEqual([410, expect.stringContaining('Payment complete')]);
          expect(await pay(next, page)).toBe(200);
          expect((await chargesOf(next, id)).sort()).toEqual(['1000 declined', '1000 succeeded']);
          expect(await chargesAtProcessor(account)).toBe(2);
        },
      };
    },
  };
}

const ask = async (person: SignedIn, field: string, args: string, fields: string): Promise<any> => {
  const { data, errors } = await person.graphql(
    `mutation { ${field}(${args}, reason: "asked by the cardholder") { ${fields} } }`,
  );
  return errors ? errors[0].extensions.data.reason : data[field];
};

const pendingOf = (subscriptionId: string) =>
  count(`payments WHERE "subscriptionId" = $1 AND status = 'pending'`, subscriptionId);

const aRow = 'the row of the second';

const points: Point[] = [
  onThePage('a payment of the page, charged at the processor', 'a slow processor', (account, id, send) => ({
    async call(server) {
      await answerAfter(account, slowMs);
      return send(server);
    },
    isHeld: async () => (await pendingOf(id)) === 1 && (await chargesAtProcessor(account)) === 2,
  })),
  inCascade('first', [{ errorRate: 1, latencyMs: slowMs }, {}], 1),
  inCascade('second', [{ errorRate: 1 }, { latencyMs: slowMs }], 2),
  {
    name: 'an approved refund',
    heldBy: 'a slow processor',
    async prepare(account) {
      const { prisma } = next.services;
      await limitRefunds(next.services, 500);
      const paymentId = String((await account.charge('tok_visa', { amount: 1000 })).payment['id']);
      const asker = await makePerson(next, { platformRoles: ['hubadmin'] });
      const approver = await makePerson(next, { platformRoles: ['hubadmin'] });
      const refund = `input: { paymentId: "${paymentId}" }`;
      const request = await ask(await signIn(next, asker), 'refundPayment', refund, '... on RefundRequest { id }');
      const find = () => prisma.refundRequest.findUniqueOrThrow({ where: { id: request.id } });
      const approve = async (server: { url: string }) =>
        ask(
          await signIn({ ...next, url: server.url }, approver),
          'approveRefundRequest',
          `requestId: "${request.id}"`,
          'refund { status }',
        );
      return {
        async call(server) {
          await answerAfter(account, slowMs);
          return cutOff(approve(server));
        },
        isHeld: async () => (await find()).status === 'approved',
        async before() {
          expect(await approve(next)).toBe('invalid_state');
          await answerAfter(account, 0);
        },
        async after() {
          const refunds = await prisma.refund.findMany({ where: { paymentId } });
          expect(refunds.map(({ amount, status, requestedBy }) => [Number(amount), status, requestedBy])).toEqual([
            [1000, 'succeeded', asker.id],
          ]);
          const { status, refundId } = await find();
          expect([status, refundId]).toEqual(['approved', refunds[0]?.id]);
          const { rows } = await next.services.pool.query(
            `SELECT f.refusal FROM test_processor.modifications f JOIN transactions t ON t.id = f.reference
            WHERE t."paymentId" = $1`,
            [paymentId],
          );
          expect(rows).toEqual([{ refusal: null }]);
        },
      };
    },
  },
  {
    name: 'a new subscription',
    heldBy: 'a slow processor',
    async prepare(account) {
      const { customerId } = await account.instrument();
      const create = keyed(account, '/subscriptions/create', { customerId, priceId: await priceOf(account) });
      return {
        ...create,
        async call(server) {
          await answerAfter(account, slowMs);
          return create.call(server);
        },
        isHeld: async () => (await chargesAtProcessor(account)) === 1,
        before: () => answerAfter(account, 0),
        async after() {
          const { status, latestPayment } = await repeated(create);
          expect([status, latestPayment.status]).toEqual(['active', 'succeeded']);
          expect(await count('subscriptions WHERE "platformAccountId" = $1', account.id)).toBe(1);
          await expectChargedOnce(account, latestPayment.id);
        },
      };
    },
  },
  {
    name: 'a charge, between intent and processor',
    heldBy: "the processor's table of charges",
    async prepare(account) {
      const { id: paymentInstrumentId } = await account.instrument();
      const charge = keyed(account, '/payments/process', { paymentInstrumentId, amount: 4_200, currency: 'USD' });
      return {
        ...charge,
        async call(server) {
          // The processor can read its records and not write them.
          await untilSentAgain.query('LOCK TABLE test_processor.charges IN EXCLUSIVE MODE');
          return charge.call(server);
        },
        isHeld: async () => (await pidsWaitingAtProcessor('INSERT INTO test_processor.charges')).length === 1,
        async after() {
          const { payment } = await repeated(charge);
          expect(payment).toMatchObject({ status: 'succeeded', capturedAmount: 4_200 });
          expect(await eventsOf(payment.id)).toEqual(['payment/created', 'payment/succeeded']);
          expect(await chargesAtProcessor(account)).toBe(1);
          await expectChargedOnce(account, payment.id);
        },
      };
    },
  },
  {
    name: 'a payment that continues after its challenge',
    heldBy: "the processor's table of charges",
    async prepare(account) {
      const { payment: begun } = await account.charge('4000000000003220');
      const { url } = begun['requireActionData'] as { url: string };
      const headers = { 'Content-Type': 'application/json' };
      await fetch(url, { method: 'POST', headers, body: '{"outcome":"success"}' });
      const go = keyed(account, '/payments/continue', { paymentId: begun['id'] });
      return {
        ...go,
        isHeld: async () => (await pidsWaitingAtProcessor('UPDATE test_processor.charges')).length === 1,
        async after() {
          const { payment } = await repeated(go);
          expect(payment).toMatchObject({ id: begun['id'], status: 'succeeded' });
          expect(await eventsOf(payment.id)).toEqual([
            'payment/created',
            'payment/actionRequired',
            'payment/succeeded',
          ]);
          expect(await chargesAtProcessor(account)).toBe(1);
          await expectChargedOnce(account, payment.id);
        },
      };
    },
  },
  {
    name: 'a refund of several payments',
    heldBy: "the processor's table of charges",
    async prepare(account) {
      const paymentIds: string[] = [];
      for (let n = 0; n < 3; n++)
        paymentIds.push((await account.charge('tok_visa', { amount: 500 })).payment['id'] as string);
      const refund = keyed(account, '/payments/refund', { paymentIds });
      return {
        ...refund,
        isHeld: async () =>
          (await pidsWaitingAtProcessor('FROM test_processor.charges WHERE "processorReference" =')).length === 1,
        async after() {
          await expect.poll(async () => (await refund.repeat()).status).toBe(200);
          const { results } = await repeated(refund);
          expect(results.map(({ refund }: any) => refund?.status)).toEqual(paymentIds.map(() => 'succeeded'));
          expect(await count('refunds WHERE "paymentId" = ANY($1)', paymentIds)).toBe(paymentIds.length);
        },
      };
    },
  },
  onThePage(
    'a payment of the page, whose charge has not begun',
    'the table of payment flows',
    (_account, id, send) => ({
      async call(server) {
        await untilKilled.query('LOCK TABLE payment_flows IN ACCESS EXCLUSIVE MODE');
        return send(server);
      },
      isHeld: async () =>
        (await count(`subscription_periods WHERE "subscriptionId" = $1 AND status = 'charging'`, id)) === 1,
    }),
  ),
  {
    name: 'a cancellation of several subscriptions',
    heldBy: aRow,
    async prepare(account) {
      const { customerId } = await account.instrument();
      const priceId = await priceOf(account);
      const subscriptionIds: string[] = [];
      for (let n = 0; n < 3; n++)
        subscriptionIds.push((await account.api.ok('/subscriptions/create', { customerId, priceId })).id);
      const cancel = keyed(account, '/subscriptions/cancel', { subscriptionIds });
      return {
        ...cancel,
        async call(server) {
          await untilKilled.query('SELECT 1 FROM subscriptions WHERE id = $1 FOR UPDATE', [subscriptionIds[1]]);
          return cancel.call(server);
        },
        isHeld: async () =>
          (await count(
            'idempotency_records WHERE operation = $1 AND answer IS NOT NULL',
            `cancelSubscription:${subscriptionIds[0]}`,
          )) === 1,
        async after() {
          const { results } = await repeated(cancel);
          expect(results.map(({ subscription }: any) => subscription?.status)).toEqual(
            subscriptionIds.map(() => 'canceled'),
          );
        },
      };
    },
  },
];

const whatPrepared = (point: Point): Prepared => {
  const one = prepared.get(point);
  if (!one || !isKilled) throw new Error('The server was not killed while it held all calls.');
  return one;
};
/** Null without an Idempotency-Key. */
const outcomeOf = async ({ repeat }: Prepared) => {
  const answer = await repeat?.();
  return answer && [answer.status, answer.body.data?.reason];
};
const inUse = [409, 'idempotency_key_in_use'];

test('a server is killed while it holds one call at each of these points', { timeout: 180_000 }, async () => {
  const prepare = async (which: (point: Point) => boolean) => {
    for (const point of points.filter(which)) prepared.set(point, await point.prepare(await partner.account()));
  };
  await prepare(({ isForTomorrow }) => isForTomorrow === true);
  await passTo(next, clock, new Date());
  await prepare(({ isForTomorrow }) => isForTomorrow !== true);
  const server = await startServerProcess(env);
  const answers: Promise<unknown>[] = [];
  try {
    for (const point of points) {
      const one = prepared.get(point);
      answers.push(one?.call(server) ?? Promise.resolve());
      await expect.poll(() => one?.isHeld(), { timeout: 15_000, message: point.name }).toBe(true);
    }
  } finally {
    await server.kill();
  }
  expect(await Promise.all(answers)).toEqual(points.map(() => 'cut off'));
  // PostgreSQL would complete a statement that waits, though no client is there for its answer.
  await untilKilled.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND wait_event_type = 'Lock' AND application_name <> 'test-processor'`);
  await untilKilled.query('COMMIT');
  isKilled = true;
});

test('before an outcome is known its key is in use, nothing is charged again, and what needs no processor is done', async () => {
  const keyed = points.filter((point) => whatPrepared(point).repeat);
  const tell = (of: readonly Point[]) => Promise.all(of.map((point) => outcomeOf(whatPrepared(point))));
  const [first] = await Promise.all([tell(keyed), ...points.map((point) => whatPrepared(point).before?.())]);
  expect(first).toEqual(keyed.map(() => inUse));
  // The process counts as alive for a moment. Then the cancellation goes on, and the others wait for the job.
  const [done, open] = [keyed.filter(({ heldBy }) => heldBy === aRow), keyed.filter(({ heldBy }) => heldBy !== aRow)];
  await expect.poll(() => tell(done)).toEqual(done.map(() => [200, undefined]));
  expect(await tell(open)).toEqual(open.map(() => inUse));
});

test('the job asks for each outcome once, and a call that it sends again arrives beside the first one', async () => {
  clock.set(new Date(Date.now() + 60_000));
  const words = ['INSERT INTO', 'UPDATE'];
  const waiting = () => Promise.all(words.map((word) => pidsWaitingAtProcessor(`${word} test_processor.charges`)));
  // The calls of the killed server still wait to be recorded, for fifteen seconds at most. The job finds no record of them.
  const first = (await waiting()).flat();
  const resolved = resolveUnknownPayments(next.services);
  const sentAgain = async () => (await waiting()).map((pids) => pids.filter((pid) => !first.includes(pid)).length);
  await expect.poll(sentAgain).toEqual([1, 1]);
  await untilSentAgain.query('COMMIT');
  expect(await resolved).toBe(8);
  await runDueSubscriptions(next.services);
});

test.each(points)('after it one effect and one answer: $name, held by $heldBy', async (point) => {
  await whatPrepared(point).after();
});

test('then the ledger and the events of all these payments are whole', async () => {
  expect((await verifyLedger(next.services)).differences).toEqual([]);
  await expectEventsToBeWhole(next.services.pool);
});
