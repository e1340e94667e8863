import { afterEach, beforeEach, expect, test } from 'vitest';
import { type TestProcessor, createTestProcessor } from '../../src/processors/test-processor.ts';
import { manualClock } from '../../src/kit/clock.ts';
import { settleUnknownPayments } from '../../src/payments/jobs.ts';
import { expectBooksToAgree, expectEventsToBeWhole, unsettledCount } from '../support/books.ts';
import { freshDatabase } from '../support/database.ts';
import { startTestPlatform, type TestPlatform } from '../support/platform.ts';
import { lineTo, type ProcessorLine } from '../support/processor-line.ts';
import { type SeededAccount, seedPartner } from '../support/seed.ts';

const longerThanAnyCallMs = 60_000;
const clock = manualClock(new Date());
let databaseUrl: string;
let processor: TestProcessor;
let line: ProcessorLine;
let platform: TestPlatform;
let account: SeededAccount;

beforeEach(async () => {
  databaseUrl = await freshDatabase();
  processor = createTestProcessor({ database: databaseUrl, clock });
  line = lineTo(processor);
  platform = await startServer();
  account = await (await seedPartner(platform)).account();
});
afterEach(async () => {
  await expectBooksToAgree(platform.env.pool);
  await expectEventsToBeWhole(platform.env.pool);
  await platform.close();
  await processor.close();
});

function startServer(env: Record<string, string> = { PROCESSOR_TIMEOUT_MS: '200' }): Promise<TestPlatform> {
  return startTestPlatform({ databaseUrl, clock, env, processors: new Map([['test', line.processor]]) });
}

async function settle(on: TestPlatform = platform): Promise<number> {
  clock.advance(longerThanAnyCallMs);
  return settleUnknownPayments(on.env);
}

test('200 pending/processing when the answer is lost, then succeeded once a worker has asked; a repeat tells what the first call told', async () => {
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
  expect(await settle()).toBe(1);
  const { payment, transactions } = await account.api.ok(`/payments/${first.body.payment.id}`);
  expect(payment).toMatchObject({ status: 'succeeded', subStatus: 'captured', capturedAmount: 1200 });
  expect(transactions).toMatchObject([{ status: 'succeeded', processorReference: expect.stringContaining('tp_ch_') }]);
  const again = await call();
  expect(again.headers.get('idempotent-replayed')).toBe('true');
  expect(again.body).toEqual(first.body);
});

test('a running server settles a lost answer by itself', async () => {
  const own = await startTestPlatform({ sweeps: true, env: { PROCESSOR_TIMEOUT_MS: '100' } });
  try {
    const merchant = await (await seedPartner(own)).account();
    const { payment } = await merchant.charge('4000000000006975');
    expect(payment['subStatus']).toBe('processing');
    await expect
      .poll(async () => (await merchant.api.ok(`/payments/${payment['id']}`)).payment.status, { timeout: 15_000 })
      .toBe('succeeded');
    await expectBooksToAgree(own.env.pool);
  } finally {
    await own.close();
  }
});

test('one outcome for each payment when several servers settle the same ones at once', async () => {
  const others = await Promise.all([startServer(), startServer()]);
  try {
    for (let charge = 0; charge < 12; charge++) await account.charge('4000000000006975');
    clock.advance(longerThanAnyCallMs);
    const settled = await Promise.all([platform, ...others].map(({ env }) => settleUnknownPayments(env)));
    expect(settled.reduce((sum, count) => sum + count)).toBe(12);
    expect(await unsettledCount(platform.env.pool)).toBe(0);
    expect(await platform.env.prisma.event.count({ where: { type: 'payment/succeeded' } })).toBe(12);
  } finally {
    for (const other of others) await other.close();
  }
});

test('one booking when a charge that never arrived is sent again, and the first one arrives late after all', async () => {
  const held = line.holdNextCall();
  const { payment } = await account.charge();
  const arrive = await held;
  expect(payment).toMatchObject({ status: 'pending', subStatus: 'processing' });
  expect((await processor.books()).charges).toEqual([]);
  expect(await settle()).toBe(1);
  arrive();
  await expect
    .poll(async () => (await account.api.ok(`/payments/${payment['id']}`)).payment.status, { timeout: 5_000 })
    .toBe('succeeded');
  const { charges } = await processor.books();
  expect(charges).toHaveLength(1);
});

test('the same answer for all when a worker settles a charge while its own answer is on its way', async () => {
  const patient = await startServer({ PROCESSOR_TIMEOUT_MS: '60000' });
  try {
    const { id: paymentInstrumentId } = await account.instrument();
    const held = line.holdNextAnswer();
    const call = () =>
      fetch(`${patient.url}/api/public/v1/payments/process`, {
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
    expect(await settle()).toBe(1);
    arrive();
    const answer = await first;
    expect(answer).toMatchObject({ payment: { status: 'succeeded', capturedAmount: 900 } });
    expect(await call()).toEqual(answer);
    expect(await platform.env.prisma.event.count({ where: { type: 'payment/succeeded' } })).toBe(1);
  } finally {
    await patient.close();
  }
});

test('a payment that cannot be settled keeps none of the others waiting', async () => {
  const stuck = [];
  for (let charge = 0; charge < 55; charge++) stuck.push(account.charge('4000000000006975'));
  const ids = (await Promise.all(stuck)).map(({ payment }) => payment['id'] as string);
  // As after a change of configuration: nobody here can speak to their processor any more.
  await platform.env.prisma.transaction.updateMany({
    where: { paymentId: { in: ids } },
    data: { processorType: 'gone' },
  });
  clock.advance(longerThanAnyCallMs);
  const { payment } = await account.charge('4000000000006975');
  await settle();
  expect((await account.api.ok(`/payments/${payment['id']}`)).payment.status).toBe('succeeded');
  await platform.env.prisma.transaction.updateMany({
    where: { paymentId: { in: ids } },
    data: { processorType: 'test' },
  });
  expect(await settle()).toBe(55);
});

test('200 failed/no_processor, in one commit, when the named processor is of a type nobody here can ask', async () => {
  const { id: paymentInstrumentId } = await account.instrument();
  const found = await platform.env.prisma.processor.findFirstOrThrow({ where: { platformAccountId: account.id } });
  await platform.env.prisma.processor.create({
    data: { ...found, id: 'proc_ofanothertype00', type: 'stripe', options: {}, secrets: {}, connected: false },
  });
  const call = () =>
    account.api.call(
      '/payments/process',
      { paymentInstrumentId, amount: 900, currency: 'USD', processorId: 'proc_ofanothertype00' },
      { headers: { 'Idempotency-Key': 'nobody' } },
    );
  const first = await call();
  expect(first.body).toMatchObject({
    payment: { status: 'failed', subStatus: 'processing_error', failureCode: 'no_processor' },
    transactions: [],
  });
  expect(await unsettledCount(platform.env.pool)).toBe(0);
  expect((await call()).body).toEqual(first.body);
});
