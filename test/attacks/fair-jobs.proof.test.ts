import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestProcessor } from '../../src/adapters/test-processor/test-processor.ts';
import { deliverTestDisputes } from '../../src/domains/disputes/domain.ts';
import { followPayments } from '../../src/domains/funnels/sessions/follow-payments.ts';
import { expireAuthorizations, expireChallenges } from '../../src/domains/payments/resolution/expire.ts';
import { failTestRefunds } from '../../src/domains/payments/resolution/notices.ts';
import { resolveUnknownPayments } from '../../src/domains/payments/resolution/resolve.ts';
import { retryWaitingEvents } from '../../src/domains/processor-events/receive-event.ts';
import { runDueSubscriptions } from '../../src/domains/subscriptions/periods/run-subscription.ts';
import { advanceTestClocks } from '../../src/domains/test-clocks/jobs.ts';
import { deliverWebhooks } from '../../src/domains/webhooks/deliveries/jobs.ts';
import { endExpiredInvitations } from '../../src/iam/staff/end-expired-invitations.ts';
import { manualClock } from '../../src/lib/clock.ts';
import { newId } from '../../src/lib/ids.ts';
import { expireRefundRequests } from '../../src/operators/refund-requests/end-refund-request.ts';
import { type CardProcessor, UnknownOutcome } from '../../src/ports/card-processor.ts';
import type { TestProcessor } from '../../src/ports/test-processor.ts';
import { jobsOf } from '../../src/registry.ts';
import type { Services } from '../../src/services.ts';
import { addFunnel } from '../domains/funnels/example-funnel.ts';
import { freshDatabase } from '../support/database.ts';
import { startTestPlatform, type TestPlatform } from '../support/platform.ts';
import { disableRateLimits } from '../support/rates.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { type SeededAccount, type SeededPartner, seedPartner } from '../support/seed.ts';
import { dayMs, priceOf } from '../support/subscriptions.ts';
import { afterHours, holdOnClock } from '../support/test-clock-holds.ts';

const clock = manualClock(new Date());
const calls = ['authorize', 'continueAuthorization', 'find', 'findModification', 'void'] as const;
/** The connections that do not answer, until the promise resolves. */
const hanging = new Set<string>();
let ended: PromiseWithResolvers<void> = Promise.withResolvers();
/** The challenges that the processor does not close, and how often it was asked to. */
const open = new Map<string, number>();
let processor: TestProcessor;
/** Answers no request of a silent merchant. */
let receiver: Receiver;
const silentMerchants = new Set<string>();
let locker: pg.Client;
let platform: TestPlatform;

beforeAll(async () => {
  const databaseUrl = await freshDatabase();
  processor = createTestProcessor({ database: databaseUrl, clock });
  platform = await startTestPlatform({
    databaseUrl,
    clock,
    env: { PROCESSOR_TIMEOUT_MS: '60000', WEBHOOK_ALLOW_PRIVATE: 'true' },
    processors: new Map([
      ['test', { ...processor, ...Object.fromEntries(calls.map((name) => [name, answering(name)])) }],
    ]),
  });
  await disableRateLimits(platform);
  receiver = await startReceiver(({ event }) =>
    silentMerchants.has(String(event.data.object['platformAccountId'])) ? undefined : 200,
  );
  locker = new pg.Client({ connectionString: databaseUrl });
  await locker.connect();
});
afterAll(async () => {
  ended.resolve();
  await receiver?.close();
  await locker?.end();
  await platform?.close();
  await processor?.close();
});

/** A call that hangs if its connection does. A challenge is one that is answered at the processor. */
function answering(name: (typeof calls)[number]) {
  return async (question: Parameters<CardProcessor['find']>[0]) => {
    if (hanging.has(question.processor.id)) {
      await ended.promise;
      throw new UnknownOutcome(question.reference, 'the test has ended the call');
    }
    const requested = open.get(question.reference);
    if (name === 'continueAuthorization' && requested !== undefined) {
      open.set(question.reference, requested + 1);
      return { result: 'challenge', url: 'https://example.com/challenge' };
    }
    // every call takes an object with a reference
    const answer = await (processor[name] as (question: unknown) => Promise<{ result: string }>)(question);
    return answer.result === 'challenge' ? { ...answer, url: 'https://example.com/challenge' } : answer;
  };
}

/** A merchant of a partner; of one of its own unless it is named. */
async function merchantOf(partner?: SeededPartner): Promise<{ account: SeededAccount; processorId: string }> {
  const account = await (partner ?? (await seedPartner(platform))).account();
  const { items } = await account.api.ok('/processors/list', {});
  return { account, processorId: items[0].id };
}

/** What a job finds due, and whether it is done with it. */
interface Case {
  run(services: Services, stopping: AbortSignal): Promise<unknown>;
  make(account: SeededAccount): Promise<unknown>;
  isDueAfterMs: number;
  /** Makes the silent merchants hang. Default: their processors. Returns the function that ends it. */
  hang?(silent: readonly SeededAccount[]): Promise<() => unknown>;
  done(account: SeededAccount): Promise<boolean>;
}

const paymentIs = (subStatus: string) => async (account: SeededAccount) => {
  const { items } = await account.api.ok('/payments', {});
  return items.every((payment: { subStatus: string }) => payment.subStatus === subStatus);
};

/** Changes of rows of the partner of these merchants wait, in one of the tables of the database. */
const lockRows = (table: string) => async (silent: readonly SeededAccount[]) => {
  const { partnerId } = await ownerOf(silent[0]?.id ?? '');
  await locker.query('BEGIN');
  await locker.query(`SELECT FROM ${table} WHERE "partnerId" = $1 FOR UPDATE`, [partnerId]);
  return () => locker.query('ROLLBACK');
};

const withEndpoints = new Map<string, Promise<void>>();

/** As many endpoints that a flood of payments takes all places of deliveries. */
async function addEndpoints({ api }: SeededAccount): Promise<void> {
  for (let n = 0; n < 10; n++) await api.ok('/webhooks', { url: receiver.url, eventTypes: ['payment/succeeded'] });
}

const ownerOf = (id: string) => platform.services.prisma.processingAccount.findUniqueOrThrow({ where: { id } });

const jobs: Record<string, Case> = {
  'resolve-unknown-payments': {
    run: resolveUnknownPayments,
    make: (account) => account.charge('4000000000006975'),
    isDueAfterMs: 120_000,
    done: paymentIs('captured'),
  },
  'expire-challenges': {
    run: expireChallenges,
    make: (account) => account.charge('4000000000003220'),
    isDueAfterMs: dayMs,
    done: paymentIs('authentication_expired'),
  },
  'expire-authorizations': {
    run: expireAuthorizations,
    make: (account) => account.charge('tok_visa', { mode: 'auth' }),
    isDueAfterMs: 8 * dayMs,
    done: paymentIs('expired'),
  },
  'renew-subscriptions': {
    run: runDueSubscriptions,
    async make(account) {
      const { id: paymentInstrumentId, customerId } = await account.instrument();
      const priceId = await priceOf(account);
      await account.api.ok('/subscriptions/create', { priceId, paymentInstrumentId, customerId });
    },
    isDueAfterMs: 32 * dayMs,
    done: async (account) =>
      (await account.api.ok('/payments', { filters: { status: ['succeeded'] } })).items.length > 1,
  },
  'renew-subscriptions (never charged)': {
    run: runDueSubscriptions,
    async make(account) {
      const { id: paymentInstrumentId, customerId } = await account.instrument();
      const priceId = await priceOf(account, { trialDays: 3 });
      await account.api.ok('/subscriptions/create', { priceId, paymentInstrumentId, customerId });
    },
    isDueAfterMs: 4 * dayMs,
    done: async (account) => (await account.api.ok('/payments', {})).items.length > 0,
  },
  'fail-test-refunds': {
    run: failTestRefunds,
    async make(account) {
      const { payment } = await account.charge('4000000000005126');
      await account.api.ok('/payments/refund', { paymentId: payment['id'] });
    },
    isDueAfterMs: dayMs,
    hang: lockRows('payments'),
    done: paymentIs('captured'),
  },
  'deliver-test-disputes': {
    run: deliverTestDisputes,
    make: (account) => account.charge('4000000000000259'),
    isDueAfterMs: 0,
    hang: lockRows('payments'),
    done: async (account) => (await account.api.ok('/disputes/list', {})).items.length > 0,
  },
  'deliver-webhooks': {
    run: deliverWebhooks,
    async make(account) {
      if (!withEndpoints.has(account.id)) withEndpoints.set(account.id, addEndpoints(account));
      await withEndpoints.get(account.id);
      await account.charge();
    },
    isDueAfterMs: 0,
    async hang(silent) {
      for (const { id } of silent) silentMerchants.add(id);
      return () => silentMerchants.clear();
    },
    done: async ({ id }) => receiver.received.some(({ event }) => event.data.object['platformAccountId'] === id),
  },
  'retry-waiting-events': {
    run: retryWaitingEvents,
    async make(account) {
      const { payment } = await account.charge();
      await platform.services.pool.query(
        `INSERT INTO unapplied_events
          (id, "processorId", "eventId", "partnerId", "platformAccountId", mode, type, status, reason, notices,
            "retryAt", "receivedAt", "updatedAt")
        SELECT 'uev_' || t.id, t."processorId", 'evt_' || t.id, t."partnerId", t."platformAccountId", t.mode, 'dispute',
          'waiting', 'early', jsonb_build_array(jsonb_build_object('about', 'dispute', 'dispute', jsonb_build_object(
            'processorReference', 'dp_' || t.id, 'authorizationReference', t."processorReference", 'amount', t.amount,
            'currency', t.currency, 'reason', 'fraudulent', 'status', 'needs_response', 'evidenceDueAt', null,
            'reportedAt', $2::timestamptz))), $2, $2, $2
        FROM transactions t
        WHERE t."paymentId" = $1`,
        [payment['id'], clock.now()],
      );
    },
    isDueAfterMs: 0,
    hang: lockRows('payments'),
    done: async (account) => (await account.api.ok('/disputes/list', {})).items.length > 0,
  },
  'follow-funnel-payments': {
    run: followPayments,
    async make(account) {
      const { id: funnelId } = await addFunnel(account);
      const { id: sessionId } = await account.api.ok('/funnel-sessions', { funnelId });
      await account.api.ok(`/funnel-sessions/${sessionId}/next`, { event: { type: 'clicked' } });
      const { id: orderId } = await account.api.ok('/orders/create', {
        storeId: account.storeId,
        currency: 'USD',
        items: [{ name: 'Course', quantity: 1, unitAmount: 4900 }],
      });
      await account.charge('tok_visa', { orderId, amount: 4900 });
      await platform.services.pool.query(
        `INSERT INTO funnel_orders
          ("orderId", "sessionId", "partnerId", "platformAccountId", mode, "stepId", kind, open, "createdAt")
        SELECT o.id, $2, o."partnerId", o."platformAccountId", o.mode, 'checkout', 'checkout', true, $3
        FROM orders o
        WHERE o.id = $1`,
        [orderId, sessionId, clock.now()],
      );
    },
    isDueAfterMs: 0,
    hang: lockRows('funnel_sessions'),
    done: async ({ id: platformAccountId }) =>
      (await platform.services.prisma.funnelOrder.count({ where: { platformAccountId, open: true } })) === 0,
  },
  'advance-test-clocks': {
    run: advanceTestClocks,
    async make(account) {
      const { clockId } = await holdOnClock(platform, account, 1);
      await platform.services.pool.query(`UPDATE test_clocks SET status = 'advancing', target = $2 WHERE id = $1`, [
        clockId,
        afterHours(2),
      ]);
    },
    isDueAfterMs: 0,
    done: async (account) =>
      (await account.api.ok('/test-clocks/list', {})).items.every(
        ({ status }: { status: string }) => status === 'ready',
      ),
  },
  'expire-refund-requests': {
    run: expireRefundRequests,
    async make(account) {
      const { payment } = await account.charge();
      const { partnerId, mode } = await ownerOf(account.id);
      const owner = { partnerId, platformAccountId: account.id, mode, paymentId: String(payment['id']) };
      const asked = { amount: 100, currency: 'USD', cancelSubscription: false, reason: 'asked' };
      const by = { requestedBy: 'user_x', requestedByEmail: 'x@example.com' };
      const now = clock.now();
      const times = { expiresAt: now, createdAt: now, updatedAt: now };
      await platform.services.prisma.refundRequest.create({
        data: { id: newId('rreq_', now), ...owner, ...asked, ...by, ...times },
      });
    },
    isDueAfterMs: 60_000,
    hang: lockRows('refund_requests'),
    done: async ({ id: platformAccountId }) =>
      (await platform.services.prisma.refundRequest.count({ where: { platformAccountId, status: 'pending' } })) === 0,
  },
  'end-expired-invitations': {
    run: endExpiredInvitations,
    async make({ id: accountId }) {
      const { partnerId } = await ownerOf(accountId);
      const id = newId('mem_', clock.now());
      const email = `${id.toLowerCase()}@example.com`;
      const facts = { email, emailLower: email, roles: ['accountmanager'], status: 'pending', invitedAt: clock.now() };
      await platform.services.prisma.partnerMembership.create({ data: { id, partnerId, ...facts } });
    },
    isDueAfterMs: 8 * dayMs,
    hang: lockRows('partner_memberships'),
    async done({ id }) {
      const { partnerId } = await ownerOf(id);
      const where = { partnerId, status: 'pending' };
      return (await platform.services.prisma.partnerMembership.count({ where })) === 0;
    },
  },
};

const oneStatement = 'It calls no outside system: its statements wait for none.';
/** The jobs that are not in the table, and why none of their rows waits for a neighbor's. */
const notInTable: Record<string, string> = {
  'run-pending-compensations': 'It asks the identity provider, which all share.',
  'repair-identity-mirror': 'It asks the identity provider, which all share.',
  'purge-expired-sessions': 'It asks the identity provider, which all share.',
  'abandon-funnel-sessions': 'It calls no outside system: two statements, which skip locked rows.',
  'sum-figures': oneStatement,
  'aggregate-key-uses': oneStatement,
  'measure-webhooks': oneStatement,
  'release-future-deliveries': oneStatement,
  'anchor-audit-log': 'It reads one row and writes to a file.',
  'rewrap-processor-secrets': oneStatement,
  'rewrap-kyb-values': oneStatement,
  'rewrap-cards': oneStatement,
  'rewrap-signing-secrets': oneStatement,
  'purge-unclaimed-cards': oneStatement,
  'erase-deleted-cards': oneStatement,
  'purge-expired-cvcs': oneStatement,
  'remove-old-webhook-deliveries': oneStatement,
  'purge-old-rows': oneStatement,
};

test('every job is in the table, or it says why not', () => {
  const known = [...new Set(Object.keys(jobs).map((title) => title.replace(/ .*/, ''))), ...Object.keys(notInTable)];
  expect(known.toSorted()).toEqual(
    jobsOf(platform.services)
      .map(({ name }) => name)
      .toSorted(),
  );
});

/** More than the places of any job, those of an account and those of a processor. */
const flood = { accounts: 9, rows: 5 };

test.for(
  Object.keys(jobs),
)('%s: rows of nine accounts of a partner that never end hold up nothing of a neighbor', async (name) => {
  const job = jobs[name] as Case;
  const partner = await seedPartner(platform);
  const silent = await Promise.all(Array.from({ length: flood.accounts }, () => merchantOf(partner)));
  const neighbor = await merchantOf();
  const rows = Array.from({ length: flood.rows });
  for (const { account } of silent) await Promise.all(rows.map(() => job.make(account)));
  clock.advance(1_000);
  await job.make(neighbor.account);
  clock.advance(job.isDueAfterMs);
  const release = await job.hang?.(silent.map(({ account }) => account));
  if (!job.hang) for (const { processorId } of silent) hanging.add(processorId);
  expect(await job.done(neighbor.account)).toBe(false);
  const stopping = new AbortController();
  const run = job.run(platform.services, stopping.signal);
  await expect.poll(() => job.done(neighbor.account)).toBe(true);
  await release?.();
  stopping.abort();
  ended.resolve();
  await run;
  hanging.clear();
  ended = Promise.withResolvers();
});

test('what becomes due while a processor never answers is done, too', async () => {
  const job = jobs['resolve-unknown-payments'] as Case;
  const [silent, neighbor] = [await merchantOf(), await merchantOf()];
  await job.make(silent.account);
  clock.advance(job.isDueAfterMs);
  hanging.add(silent.processorId);
  const stopping = new AbortController();
  const run = job.run(platform.services, stopping.signal);
  await job.make(neighbor.account);
  clock.advance(job.isDueAfterMs);
  await expect.poll(() => job.done(neighbor.account)).toBe(true);
  stopping.abort();
  ended.resolve();
  await run;
  hanging.clear();
  ended = Promise.withResolvers();
});

test('challenges that cannot be closed keep no other from expiring, and are tried again later and later', async () => {
  const [stuck, neighbor] = [await merchantOf(), await merchantOf()];
  const { id: paymentInstrumentId } = await stuck.account.instrument('4000000000003220');
  const made = Array.from({ length: 51 }, () =>
    stuck.account.api.ok('/payments/process', { paymentInstrumentId, amount: 900, currency: 'USD' }),
  );
  for (const { transactions } of await Promise.all(made)) open.set(transactions[0].id, 0);
  clock.advance(1_000);
  await neighbor.account.charge('4000000000003220');
  clock.advance(dayMs);
  await expireChallenges(platform.services);
  await expireChallenges(platform.services);
  expect(await paymentIs('authentication_expired')(neighbor.account)).toBe(true);
  const requested = async (afterMs: number) => {
    clock.advance(afterMs);
    // A run may leave rows of an account that has its share of the places to the next run.
    while ((await expireChallenges(platform.services)) > 0);
    return [...new Set(open.values())];
  };
  expect(await requested(0)).toEqual([1]);
  expect(await requested(20_000)).toEqual([2]);
  expect(await requested(20_000)).toEqual([2]);
  expect(await requested(20_000)).toEqual([3]);
  expect(await requested(60_000)).toEqual([3]);
  open.clear();
  await requested(20_000);
  expect(await paymentIs('authentication_expired')(stuck.account)).toBe(true);
});
