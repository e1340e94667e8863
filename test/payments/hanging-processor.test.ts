import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestProcessor } from '../../src/adapters/test-processor/test-processor.ts';
import { deliverTestDisputes } from '../../src/domains/disputes/jobs.ts';
import { expireAuthorizations } from '../../src/domains/payments/expire-authorizations.ts';
import { expireChallenges } from '../../src/domains/payments/expire-challenges.ts';
import { failTestRefunds } from '../../src/domains/payments/fail-test-refunds.ts';
import { resolveUnknownPayments } from '../../src/domains/payments/resolve-unknown-payments.ts';
import { runDueSubscriptions } from '../../src/domains/subscriptions/jobs.ts';
import { deliverWebhooks } from '../../src/domains/webhooks/jobs.ts';
import { jobsOf } from '../../src/domains.ts';
import { manualClock } from '../../src/kit/clock.ts';
import { type CardProcessor, UnknownOutcome } from '../../src/ports/card-processor.ts';
import type { TestProcessor } from '../../src/ports/test-processor.ts';
import type { Services } from '../../src/services.ts';
import { freshDatabase } from '../support/database.ts';
import { startTestPlatform, type TestPlatform } from '../support/platform.ts';
import { liftRates } from '../support/rates.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { type SeededAccount, seedPartner } from '../support/seed.ts';
import { dayMs, priceOf } from '../support/subscriptions.ts';

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
  await liftRates(platform);
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
    const asked = open.get(question.reference);
    if (name === 'continueAuthorization' && asked !== undefined) {
      open.set(question.reference, asked + 1);
      return { result: 'challenge', url: 'https://example.com/challenge' };
    }
    // every call takes an object with a reference
    const answer = await (processor[name] as (question: unknown) => Promise<{ result: string }>)(question);
    return answer.result === 'challenge' ? { ...answer, url: 'https://example.com/challenge' } : answer;
  };
}

async function merchantOf(): Promise<{ account: SeededAccount; processorId: string }> {
  const account = await (await seedPartner(platform)).account();
  const { items } = await account.api.ok('/processors/list', {});
  return { account, processorId: items[0].id };
}

/** What a job finds due, and whether it is done with it. */
interface Case {
  run(services: Services, stopping: AbortSignal): Promise<unknown>;
  make(account: SeededAccount): Promise<unknown>;
  isDueAfterMs: number;
  /** The due rows of each silent merchant. Default: 3. */
  rows?: number;
  /** Makes the silent merchants hang. Default: their processors. Returns the function that ends it. */
  hang?(silent: readonly SeededAccount[]): Promise<() => unknown>;
  done(account: SeededAccount): Promise<boolean>;
}

const paymentIs = (subStatus: string) => async (account: SeededAccount) => {
  const { items } = await account.api.ok('/payments', {});
  return items.every((payment: { subStatus: string }) => payment.subStatus === subStatus);
};

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
    rows: 4,
    done: async (account) => (await account.api.ok('/payments', {})).items.length > 0,
  },
  'fail-test-refunds': {
    run: failTestRefunds,
    async make(account) {
      const { payment } = await account.charge('4000000000005126');
      await account.api.ok('/payments/refund', { paymentId: payment['id'] });
    },
    isDueAfterMs: dayMs,
    hang: lockPayments,
    done: paymentIs('captured'),
  },
  'deliver-test-disputes': {
    run: deliverTestDisputes,
    make: (account) => account.charge('4000000000000259'),
    isDueAfterMs: 0,
    hang: lockPayments,
    done: async (account) => (await account.api.ok('/disputes/list', {})).items.length > 0,
  },
  'deliver-webhooks': {
    run: deliverWebhooks,
    async make(account) {
      const { items } = await account.api.ok('/webhooks/list', {});
      if (items.length === 0)
        await account.api.ok('/webhooks', { url: receiver.url, eventTypes: ['payment/succeeded'] });
      await account.charge();
    },
    isDueAfterMs: 0,
    async hang(silent) {
      for (const { id } of silent) silentMerchants.add(id);
      return () => silentMerchants.clear();
    },
    done: async ({ id }) => receiver.received.some(({ event }) => event.data.object['platformAccountId'] === id),
  },
};

/** Changes of the payments of these merchants wait. */
async function lockPayments(silent: readonly SeededAccount[]): Promise<() => unknown> {
  await locker.query('BEGIN');
  await locker.query(`SELECT FROM payments WHERE "platformAccountId" = ANY($1) FOR UPDATE`, [
    silent.map(({ id }) => id),
  ]);
  return () => locker.query('ROLLBACK');
}

const oneStatement = 'It asks nobody: statements of its own, which wait for nobody outside.';
/** The jobs that are not in the table, and why none of their rows waits for a neighbor's. */
const notInTable: Record<string, string> = {
  'run-pending-reverts': 'It asks the identity provider, which all share.',
  'end-expired-invitations': 'It asks the identity provider, which all share.',
  'repair-identity-mirror': 'It asks the identity provider, which all share.',
  'purge-identity-rows': 'It asks the identity provider, which all share.',
  'retry-waiting-events': 'It asks nobody: it applies what arrived, several at once, in the places of each account.',
  'reconcile-with-processor': 'It asks the records of the test processor alone, which are in the database.',
  'follow-funnel-payments':
    'It asks nobody: it follows what is stored, several at once, in the places of each account.',
  'advance-test-clocks': 'It drives several clocks at once, a few of each account; what a clock asks waits by itself.',
  'abandon-funnel-sessions': 'It asks nobody: two statements, which skip locked rows.',
  'sum-figures': oneStatement,
  'aggregate-key-uses': oneStatement,
  'measure-webhooks': oneStatement,
  'hasten-held-deliveries': oneStatement,
  'anchor-audit-log': 'It reads one row and writes to a file.',
  'expire-refund-requests': 'It asks nobody: a change of rows each.',
  'rewrap-processor-secrets': oneStatement,
  'rewrap-kyb-values': oneStatement,
  'rewrap-cards': oneStatement,
  'rewrap-signing-secrets': oneStatement,
  'purge-processor-events': oneStatement,
  'purge-connect-attempts': oneStatement,
  'purge-unclaimed-cards': oneStatement,
  'purge-expired-cvcs': oneStatement,
  'purge-presented-numbers': oneStatement,
  'purge-card-attempts': oneStatement,
  'purge-client-sessions': oneStatement,
  'purge-sign-in-attempts': oneStatement,
  'remove-old-webhook-deliveries': oneStatement,
  'remove-old-idempotency-records': oneStatement,
};

test('every job is in the table, or it says why not', () => {
  const known = [...new Set(Object.keys(jobs).map((title) => title.replace(/ .*/, ''))), ...Object.keys(notInTable)];
  expect(known.toSorted()).toEqual(
    jobsOf(platform.services)
      .map(({ name }) => name)
      .toSorted(),
  );
});

test.for(Object.keys(jobs))('%s: what never answers holds up nothing of a neighbor', async (name) => {
  const job = jobs[name] as Case;
  const silent = await Promise.all([merchantOf(), merchantOf(), merchantOf(), merchantOf(), merchantOf()]);
  const neighbor = await merchantOf();
  const rows = Array.from({ length: job.rows ?? 3 });
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
  const asked = async (afterMs: number) => {
    clock.advance(afterMs);
    await expireChallenges(platform.services);
    return [...new Set(open.values())];
  };
  expect(await asked(0)).toEqual([1]);
  expect(await asked(20_000)).toEqual([2]);
  expect(await asked(20_000)).toEqual([2]);
  expect(await asked(20_000)).toEqual([3]);
  expect(await asked(60_000)).toEqual([3]);
  open.clear();
  await asked(20_000);
  expect(await paymentIs('authentication_expired')(stuck.account)).toBe(true);
});
