import pg from 'pg';
import { afterAll, expect, test } from 'vitest';
import { manualClock } from '../../src/lib/clock.ts';
import { newId } from '../../src/lib/ids.ts';
import { jobsOf } from '../../src/registry.ts';
import { addFunnel } from '../domains/funnels/example-funnel.ts';
import { usePlatform } from '../support/platform.ts';
import { startReceiver } from '../support/receiver.ts';
import { type SeededAccount, type SeededPartner, seedPartner } from '../support/seed.ts';
import { priceOf } from '../support/subscriptions.ts';

/*
 * A partner floods a job: each of its nine accounts has more due rows than an account's slots, all of them due before
 * the one row of another partner, and none of them ends. The row of the other partner must be done nevertheless.
 */

const clock = manualClock(new Date());
const platform = await usePlatform({ clock, env: { PROCESSOR_TIMEOUT_MS: '1000', WEBHOOK_ALLOW_PRIVATE: 'true' } });
const { prisma, pool } = platform.services;
const locker = new pg.Client({ connectionString: platform.databaseUrl });
await locker.connect();
const silent = await startReceiver(() => undefined);
const prompt = await startReceiver();
afterAll(async () => {
  await locker.end();
  await silent.close();
  await prompt.close();
});

const attacker = await seedPartner(platform);
const accounts = await Promise.all(Array.from({ length: 9 }, () => attacker.account()));
const neighbor = await seedPartner(platform);
const shop = await neighbor.account();
const rowsOfAccount = 5;

const minuteMs = 60_000;
const dayMs = 86_400_000;

interface Flood {
  /** Makes a row of an account that will be due, and returns its identifier. */
  make(of: SeededAccount, partner: SeededPartner): Promise<string>;
  /** How long it takes until the rows are due. */
  dueInMs: number;
  /** Locks or slows everything of the attacker, so that none of its rows ends. */
  hang(): Promise<unknown>;
  isDone(id: string): Promise<boolean>;
}

const lock = (table: string) => async () =>
  locker.query(`SELECT FROM ${table} WHERE "partnerId" = $1 FOR UPDATE`, [attacker.id]);
const isOfState = async (id: string, subStatus: string) =>
  (await prisma.payment.findUniqueOrThrow({ where: { id } })).subStatus === subStatus;
const charge = async (of: SeededAccount, card?: string, more?: object) =>
  (await of.charge(card, { ...more })).payment['id'] as string;
const setFaults = (partnerId: string, options: object) =>
  pool.query(`UPDATE processors SET options = $2 WHERE "partnerId" = $1`, [partnerId, options]);

const floods: Record<string, Flood> = {
  'resolve-unknown-payments': {
    async make(of, { id }) {
      await setFaults(id, { lostAnswerRate: 1 });
      const paymentId = await charge(of);
      await setFaults(id, {});
      return paymentId;
    },
    dueInMs: minuteMs,
    hang: lock('payments'),
    isDone: (id) => isOfState(id, 'captured'),
  },
  'expire-challenges': {
    make: (of) => charge(of, '4000000000003220'),
    dueInMs: 31 * minuteMs,
    hang: lock('payments'),
    isDone: (id) => isOfState(id, 'authentication_expired'),
  },
  'expire-authorizations': {
    make: (of) => charge(of, undefined, { mode: 'auth' }),
    dueInMs: 7 * dayMs + minuteMs,
    hang: lock('payments'),
    isDone: (id) => isOfState(id, 'expired'),
  },
  'fail-test-refunds': {
    async make(of) {
      const paymentId = await charge(of, '4000000000005126');
      await of.api.ok('/payments/refund', { paymentId });
      return paymentId;
    },
    dueInMs: minuteMs,
    hang: lock('payments'),
    isDone: (id) => isOfState(id, 'captured'),
  },
  'deliver-test-disputes': {
    make: (of) => charge(of, '4000000000000259'),
    dueInMs: minuteMs,
    hang: lock('payments'),
    isDone: async (paymentId) => (await prisma.dispute.count({ where: { paymentId } })) === 1,
  },
  'renew-subscriptions': {
    async make(of) {
      const { customerId } = await of.instrument();
      return (await of.api.ok('/subscriptions/create', { customerId, priceId: await priceOf(of) })).id;
    },
    dueInMs: 32 * dayMs,
    hang: () => setFaults(attacker.id, { latencyMs: 60_000 }),
    isDone: async (subscriptionId) =>
      (await prisma.payment.count({ where: { subscriptionId, status: 'succeeded' } })) === 2,
  },
  'follow-funnel-payments': {
    async make(of) {
      const { id: sessionId } = await of.api.ok('/funnel-sessions', { funnelId: (await addFunnel(of)).id });
      const { customerId } = await of.instrument();
      const items = [{ name: 'Course', quantity: 1, unitAmount: 2500 }];
      const order = await of.api.ok('/orders/create', { customerId, currency: 'USD', items });
      await charge(of, undefined, { orderId: order.id });
      const { partnerId, platformAccountId, mode } = await prisma.order.findUniqueOrThrow({ where: { id: order.id } });
      const place = { stepId: 'checkout', kind: 'checkout', open: true, createdAt: clock.now() };
      await prisma.funnelOrder.create({
        data: { orderId: order.id, sessionId, partnerId, platformAccountId, mode, ...place },
      });
      return order.id;
    },
    dueInMs: 0,
    hang: lock('funnel_sessions'),
    isDone: async (orderId) => !(await prisma.funnelOrder.findUniqueOrThrow({ where: { orderId } })).open,
  },
  'retry-waiting-events': {
    async make(of) {
      const paymentId = await charge(of);
      const { partnerId, platformAccountId, mode, processorId, processorReference } =
        await prisma.transaction.findFirstOrThrow({ where: { paymentId } });
      const id = newId('uev_', clock.now());
      const notice = {
        about: 'refund',
        authorizationReference: processorReference,
        reference: null,
        amount: 100,
        currency: 'USD',
        outcome: { result: 'approved', processorReference: id },
      };
      const at = { receivedAt: clock.now(), updatedAt: clock.now(), retryAt: clock.now() };
      const owner = { partnerId, platformAccountId, mode, processorId: processorId ?? '' };
      const event = { eventId: id, type: 'refund', status: 'waiting', reason: 'early', notices: [notice] };
      await prisma.unappliedEvent.create({ data: { id, ...owner, ...event, ...at } });
      return id;
    },
    dueInMs: minuteMs,
    hang: lock('payments'),
    isDone: async (id) => (await prisma.unappliedEvent.findFirstOrThrow({ where: { id } })).status === 'applied',
  },
  'advance-test-clocks': {
    async make(of) {
      const { id } = await of.api.ok('/test-clocks/create', { name: 'flood', now: clock.now().toISOString() });
      await prisma.testClock.update({
        where: { id },
        data: { status: 'advancing', target: new Date(clock.now().getTime() + dayMs) },
      });
      return id;
    },
    dueInMs: 0,
    hang: lock('test_clocks'),
    isDone: async (id) => (await prisma.testClock.findUniqueOrThrow({ where: { id } })).status === 'ready',
  },
  'expire-refund-requests': {
    async make(of) {
      const paymentId = await charge(of);
      const { partnerId, platformAccountId, mode } = await prisma.payment.findUniqueOrThrow({
        where: { id: paymentId },
      });
      const id = newId('rreq_', clock.now());
      const asked = { amount: 100, currency: 'USD', cancelSubscription: false, reason: 'asked' };
      const by = { requestedBy: 'user_x', requestedByEmail: 'x@example.com' };
      const times = { expiresAt: clock.now(), createdAt: clock.now(), updatedAt: clock.now() };
      await prisma.refundRequest.create({
        data: { id, partnerId, platformAccountId, mode, paymentId, ...asked, ...by, ...times },
      });
      return id;
    },
    dueInMs: minuteMs,
    hang: lock('refund_requests'),
    isDone: async (id) => (await prisma.refundRequest.findUniqueOrThrow({ where: { id } })).status === 'expired',
  },
  'end-expired-invitations': {
    async make(_of, { id: partnerId }) {
      const id = newId('mem_', clock.now());
      const email = `${id.toLowerCase()}@example.com`;
      const facts = { email, emailLower: email, roles: ['accountmanager'], status: 'pending' };
      await prisma.partnerMembership.create({ data: { id, partnerId, ...facts, invitedAt: clock.now() } });
      return id;
    },
    dueInMs: 8 * dayMs,
    hang: lock('partner_memberships'),
    isDone: async (id) => (await prisma.partnerMembership.findUniqueOrThrow({ where: { id } })).status !== 'pending',
  },
  'deliver-webhooks': {
    // Each event goes to the ten endpoints of its account.
    async make(of, { id }) {
      const url = id === attacker.id ? silent.url : prompt.url;
      const { total } = await of.api.ok('/webhooks/list', {});
      for (let n = total; n < 10; n++) await of.api.ok('/webhooks', { url, eventTypes: ['customer/created'] });
      await of.instrument();
      return of.id;
    },
    dueInMs: minuteMs,
    hang: async () => {},
    isDone: async () => prompt.received.length > 0,
  },
};

/** Jobs whose rows are not those of tenants one by one, each with the reason why none waits for another's. */
const others: Record<string, string> = {
  'run-pending-compensations': 'rows are made by changes of internal staff alone, and each is put off when it fails',
  'abandon-funnel-sessions': 'one statement for all rows, repeated until none is left',
  'aggregate-key-uses': 'one statement for all rows',
  'sum-figures': 'one statement for all accounts, each of which it sums by day',
  'purge-old-rows': 'one statement for all rows, repeated until none is left; locked ones are skipped',
  'purge-unclaimed-cards': 'one statement for all rows, repeated until none is left; locked ones are skipped',
  'erase-deleted-cards': 'rows in order; a card that cannot be erased does not stop the others',
  'purge-expired-cvcs': 'one statement for all rows',
  'purge-expired-sessions': 'one statement for all rows',
  'remove-old-webhook-deliveries': 'one statement for all rows, repeated until none is left; locked ones are skipped',
  'release-future-deliveries': 'one statement for all rows',
  'measure-webhooks': 'reads',
  'repair-identity-mirror': 'one walk over the users and organizations of the provider; locked ones are skipped',
  'anchor-audit-log': 'one anchor of the whole log',
  'rewrap-cards': 'batches of the oldest key, whoever has the rows',
  'rewrap-processor-secrets': 'batches of the oldest key, whoever has the rows',
  'rewrap-kyb-values': 'batches of the oldest key, whoever has the rows',
  'rewrap-signing-secrets': 'batches of the oldest key, whoever has the rows',
};

test('each job is flooded here, or has no rows of tenants that wait for each other', () => {
  const names = jobsOf(platform.services).map(({ name }) => name);
  expect([...Object.keys(floods), ...Object.keys(others)].sort()).toEqual(names.sort());
});

test.for(Object.entries(floods))('%s does the row of a partner while those of another, due before, never end', async ([
  name,
  { make, dueInMs, hang, isDone },
]) => {
  const job = jobsOf(platform.services).find((each) => each.name === name);
  for (const account of accounts) for (let n = 0; n < rowsOfAccount; n++) await make(account, attacker);
  clock.advance(1);
  const id = await make(shop, neighbor);
  clock.advance(dueInMs);
  const stopping = new AbortController();
  await locker.query('BEGIN');
  await hang();
  expect(await isDone(id)).toBe(false);
  const running = job?.run(stopping.signal);
  await expect.poll(() => isDone(id), { timeout: 10_000 }).toBe(true);
  stopping.abort();
  await locker.query('ROLLBACK');
  await setFaults(attacker.id, {});
  await running;
});
