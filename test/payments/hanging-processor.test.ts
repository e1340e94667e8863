import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestProcessor } from '../../src/adapters/test-processor/test-processor.ts';
import { expireAuthorizations } from '../../src/domains/payments/expire-authorizations.ts';
import { expireChallenges } from '../../src/domains/payments/expire-challenges.ts';
import { resolveUnknownPayments } from '../../src/domains/payments/resolve-unknown-payments.ts';
import { runDueSubscriptions } from '../../src/domains/subscriptions/jobs.ts';
import { manualClock } from '../../src/kit/clock.ts';
import { type CardProcessor, UnknownOutcome } from '../../src/ports/card-processor.ts';
import type { TestProcessor } from '../../src/ports/test-processor.ts';
import type { Services } from '../../src/services.ts';
import { freshDatabase } from '../support/database.ts';
import { startTestPlatform, type TestPlatform } from '../support/platform.ts';
import { liftRates } from '../support/rates.ts';
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
let platform: TestPlatform;

beforeAll(async () => {
  const databaseUrl = await freshDatabase();
  processor = createTestProcessor({ database: databaseUrl, clock });
  platform = await startTestPlatform({
    databaseUrl,
    clock,
    env: { PROCESSOR_TIMEOUT_MS: '60000' },
    processors: new Map([
      ['test', { ...processor, ...Object.fromEntries(calls.map((name) => [name, answering(name)])) }],
    ]),
  });
  await liftRates(platform);
});
afterAll(async () => {
  ended.resolve();
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
};

test.for(Object.keys(jobs))('%s: processors that never answer hold up nothing of a neighbor', async (name) => {
  const job = jobs[name] as Case;
  const silent = await Promise.all([merchantOf(), merchantOf(), merchantOf(), merchantOf(), merchantOf()]);
  const neighbor = await merchantOf();
  for (const { account } of silent) await Promise.all([1, 2, 3].map(() => job.make(account)));
  clock.advance(1_000);
  await job.make(neighbor.account);
  clock.advance(job.isDueAfterMs);
  for (const { processorId } of silent) hanging.add(processorId);
  const stopping = new AbortController();
  const run = job.run(platform.services, stopping.signal);
  await expect.poll(() => job.done(neighbor.account)).toBe(true);
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
