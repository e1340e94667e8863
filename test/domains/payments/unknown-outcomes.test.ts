import { afterEach, beforeEach, expect, test } from 'vitest';
import { createTestProcessor } from '../../../src/adapters/test-processor/test-processor.ts';
import { resolveUnknownPayments } from '../../../src/domains/payments/resolution/resolve.ts';
import { manualClock } from '../../../src/lib/clock.ts';
import type { TestProcessor } from '../../../src/ports/test-processor.ts';
import { freshDatabase } from '../../support/database.ts';
import { expectEventsToBeWhole, expectLedgersToAgree, unresolvedCount } from '../../support/ledger.ts';
import { startTestPlatform, type TestPlatform, type TestPlatformOptions } from '../../support/platform.ts';
import { type DelayedProcessor, delayedProcessor, withShortTimeout } from '../../support/processor-line.ts';
import { type SeededAccount, seedPartner } from '../../support/seed.ts';

const longerThanAnyCallMs = 60_000;
const clock = manualClock(new Date());
let databaseUrl: string;
let processor: TestProcessor;
let connection: DelayedProcessor;
let platform: TestPlatform;
let account: SeededAccount;

beforeEach(async () => {
  databaseUrl = await freshDatabase();
  processor = createTestProcessor({ database: databaseUrl, clock });
  connection = delayedProcessor(processor);
  platform = await startServer();
  account = await (await seedPartner(platform)).account();
});
afterEach(async () => {
  await expectLedgersToAgree(platform.services.pool);
  await expectEventsToBeWhole(platform.services.pool);
  await platform.close();
  await processor.close();
});

function startServer(options: Pick<TestPlatformOptions, 'env' | 'jobs'> = {}): Promise<TestPlatform> {
  return startTestPlatform({ databaseUrl, clock, processors: new Map([['test', connection.processor]]), ...options });
}

async function resolveOutcomes(on: TestPlatform = platform): Promise<number> {
  clock.advance(longerThanAnyCallMs);
  return resolveUnknownPayments(on.services);
}

test('200 pending when the answer is lost, succeeded after the job; a repeat returns the first answer', async () => {
  const { id: paymentInstrumentId } = await account.instrument('4000000000006975');
  const call = () =>
    account.api.call(
      '/payments/process',
      { paymentInstrumentId, amount: 1200, currency: 'USD' },
      { headers: { 'Idempotency-Key': 'lost' } },
    );
  const first = await call();
  expect(first.body.payment).toMatchObject({
    status: 'pending',
    subStatus: 'processing',
    capturedAmount: 0,
    failureCode: null,
  });
  expect(await resolveOutcomes()).toBe(1);
  const { payment, transactions } = await account.api.ok(`/payments/${first.body.payment.id}`);
  expect(payment).toMatchObject({ status: 'succeeded', subStatus: 'captured', capturedAmount: 1200 });
  expect(transactions).toMatchObject([{ status: 'succeeded', processorReference: expect.stringContaining('tp_ch_') }]);
  const again = await call();
  expect(again.headers.get('idempotent-replayed')).toBe('true');
  expect(again.body).toEqual(first.body);
});

test('a server that starts resolves a lost answer', async () => {
  const { payment } = await account.charge('4000000000006975');
  expect(payment['subStatus']).toBe('processing');
  clock.advance(longerThanAnyCallMs);
  const withJobs = await startServer({ jobs: true });
  try {
    await expect
      .poll(async () => (await account.api.ok(`/payments/${payment['id']}`)).payment.status)
      .toBe('succeeded');
  } finally {
    await withJobs.close();
  }
});

test('one outcome for each payment when several servers resolve the same ones at once', async () => {
  const others = await Promise.all([startServer(), startServer()]);
  try {
    for (let charge = 0; charge < 12; charge++) await account.charge('4000000000006975');
    clock.advance(longerThanAnyCallMs);
    const resolved = await Promise.all([platform, ...others].map(({ services }) => resolveUnknownPayments(services)));
    expect(resolved.reduce((sum, count) => sum + count)).toBe(12);
    expect(await unresolvedCount(platform.services.pool)).toBe(0);
    expect(await platform.services.prisma.event.count({ where: { type: 'payment/succeeded' } })).toBe(12);
  } finally {
    for (const other of others) await other.close();
  }
});

test('one posting when a charge that never arrived is sent again and the first arrives late', async () => {
  const held = connection.holdNextCall();
  const { payment } = await withShortTimeout(platform, () => account.charge());
  const arrive = await held;
  expect(payment).toMatchObject({ status: 'pending', subStatus: 'processing' });
  expect((await processor.processorRecords()).charges).toEqual([]);
  expect(await resolveOutcomes()).toBe(1);
  arrive();
  await expect.poll(async () => (await account.api.ok(`/payments/${payment['id']}`)).payment.status).toBe('succeeded');
  const { charges } = await processor.processorRecords();
  expect(charges).toHaveLength(1);
});

test('the same answer for all when a job resolves a charge while its own answer is on its way', async () => {
  const withLongTimeout = await startServer({ env: { PROCESSOR_TIMEOUT_MS: '60000' } });
  try {
    const { id: paymentInstrumentId } = await account.instrument();
    const held = connection.holdNextAnswer();
    const call = () =>
      fetch(`${withLongTimeout.url}/api/public/v1/payments/process`, {
        method: 'POST',
        headers: {
          Authorization: `Bearer ${account.subKey}`,
          'Content-Type': 'application/json',
          'Idempotency-Key': 'overtaken',
        },
        body: JSON.stringify({ paymentInstrumentId, amount: 900, currency: 'USD' }),
      }).then((response) => response.json());
    const first = call();
    const arrive = await held;
    expect(await resolveOutcomes()).toBe(1);
    arrive();
    const answer = await first;
    expect(answer).toMatchObject({ payment: { status: 'succeeded', capturedAmount: 900 } });
    expect(await call()).toEqual(answer);
    expect(await platform.services.prisma.event.count({ where: { type: 'payment/succeeded' } })).toBe(1);
  } finally {
    await withLongTimeout.close();
  }
});

test('a payment that cannot be resolved delays no other', async () => {
  const charges = [];
  for (let charge = 0; charge < 55; charge++) charges.push(account.charge('4000000000006975'));
  const ids = (await Promise.all(charges)).map(({ payment }) => payment['id'] as string);
  // As after a change of configuration: no adapter for their processor exists any more.
  await platform.services.prisma.transaction.updateMany({
    where: { paymentId: { in: ids } },
    data: { processorType: 'removed' },
  });
  clock.advance(longerThanAnyCallMs);
  const { payment } = await account.charge('4000000000006975');
  await resolveOutcomes();
  expect((await account.api.ok(`/payments/${payment['id']}`)).payment.status).toBe('succeeded');
  await platform.services.prisma.transaction.updateMany({
    where: { paymentId: { in: ids } },
    data: { processorType: 'test' },
  });
  expect(await resolveOutcomes()).toBe(55);
});

test('200 failed/no_processor, in one commit, when the type of the named processor is not supported', async () => {
  const { id: paymentInstrumentId } = await account.instrument();
  const found = await platform.services.prisma.processor.findFirstOrThrow({ where: { platformAccountId: account.id } });
  await platform.services.prisma.processor.create({
    data: { ...found, id: 'proc_ofanothertype00', type: 'stripe', options: {}, secrets: {}, connected: false },
  });
  const call = () =>
    account.api.call(
      '/payments/process',
      { paymentInstrumentId, amount: 900, currency: 'USD', processorId: 'proc_ofanothertype00' },
      { headers: { 'Idempotency-Key': 'no-processor' } },
    );
  const first = await call();
  expect(first.body).toMatchObject({
    payment: { status: 'failed', subStatus: 'processing_error', failureCode: 'no_processor' },
    transactions: [],
  });
  expect(await unresolvedCount(platform.services.pool)).toBe(0);
  expect((await call()).body).toEqual(first.body);
});
