import { afterAll, expect, test } from 'vitest';
import { verifyLedger } from '../../../src/domains/ledger/verify-ledger.ts';
import { failTestRefunds } from '../../../src/domains/payments/resolution/notices.ts';
import { manualClock } from '../../../src/lib/clock.ts';
import { postingSums } from '../../support/ledger.ts';
import { usePlatform } from '../../support/platform.ts';
import { seedPartner } from '../../support/seed.ts';

const card = '4000000000005126';
const clock = manualClock(new Date('2026-03-01T12:00:00.000Z'));

const platform = await usePlatform({ clock });
const account = await (await seedPartner(platform)).account();
afterAll(async () => {
  expect((await verifyLedger(platform.services)).differences).toEqual([]);
});

const eventsOf = async (objectId: string) =>
  (await platform.services.prisma.event.findMany({ where: { objectId }, orderBy: { sequence: 'asc' } })).map(
    ({ sequence, type }) => `${sequence} ${type}`,
  );
const refund = async (paymentId: unknown, amount?: number) =>
  (await account.api.ok('/payments/refund', { paymentId, ...(amount !== undefined && { amount }) })) as {
    payment: { status: string };
    refund: { id: string; status: string };
  };
const read = async (paymentId: unknown) => (await account.api.ok(`/payments/${paymentId}`)).payment;

test('the card 4000000000005126: a refund succeeds and fails five seconds later, once; it can be refunded again', async () => {
  const id = String((await account.charge(card, { amount: 1000 })).payment['id']);
  expect(await refund(id, 400)).toMatchObject({ payment: { status: 'partially_refunded' } });
  clock.advance(1);
  expect(await refund(id)).toMatchObject({ payment: { status: 'refunded' }, refund: { status: 'succeeded' } });
  clock.advance(4_998);
  await failTestRefunds(platform.services);
  expect(await read(id)).toMatchObject({ status: 'refunded', refundedAmount: 1000 });
  clock.advance(1);
  await Promise.all([failTestRefunds(platform.services), failTestRefunds(platform.services)]);
  expect(await read(id)).toMatchObject({ status: 'partially_refunded', refundedAmount: 600 });
  clock.advance(1);
  await failTestRefunds(platform.services);
  const after = await read(id);
  expect(after).toMatchObject({ status: 'succeeded', subStatus: 'captured', refundedAmount: 0, capturedAmount: 1000 });
  expect(await eventsOf(id)).toEqual([
    '1 payment/created',
    '2 payment/succeeded',
    '3 payment/refunded',
    '4 payment/refunded',
    '5 payment/refundFailed',
    '6 payment/refundFailed',
  ]);
  const { items } = await account.api.ok('/events/list', { filters: { objectId: id } });
  expect(items[0].data.object).toEqual(after);
  expect(await refund(id, 1000)).toMatchObject({ payment: { status: 'refunded' } });
});

test('the ledger reverses the refund, and agrees with the processor before and after the notice', async () => {
  const id = String((await account.charge(card, { amount: 700 })).payment['id']);
  await refund(id);
  const sums = () => postingSums(platform.services.pool, id);
  expect(await sums()).toEqual(['merchant_balance -700', 'processor_receivable 0', 'refunds 700']);
  clock.advance(5_000);
  expect((await verifyLedger(platform.services)).differences).toEqual([]);
  await failTestRefunds(platform.services);
  expect(await sums()).toEqual(['merchant_balance -700', 'processor_receivable 700', 'refunds 0']);
});

test('an order goes back to paid by order/refundFailed, not by a second order/paid', async () => {
  const { id: paymentInstrumentId } = await account.instrument(card);
  const order = await account.api.ok('/orders/create', {
    storeId: account.storeId,
    currency: 'USD',
    items: [{ name: 'Tea', quantity: 1, unitAmount: 900 }],
  });
  const { payment } = await account.api.ok('/payments/process', {
    paymentInstrumentId,
    orderId: order.id,
    amount: 900,
    currency: 'USD',
  });
  await refund(payment.id);
  clock.advance(5_000);
  await failTestRefunds(platform.services);
  expect((await account.api.ok(`/orders/${order.id}`)).status).toBe('paid');
  expect(await eventsOf(order.id)).toEqual([
    '1 order/created',
    '2 order/paid',
    '3 order/refunded',
    '4 order/refundFailed',
  ]);
});

test('on a test clock the refund fails by the clock, never by the real time', async () => {
  const testClock = await account.api.ok('/test-clocks/create', { name: 'Refunds', now: '2027-05-01T00:00:00.000Z' });
  const advanceTo = (to: string) => account.api.ok(`/test-clocks/${testClock.id}/advance`, { to });
  const customer = await account.api.ok('/customers/create', {
    email: 'refunds@example.com',
    testClockId: testClock.id,
  });
  const { id: paymentInstrumentId } = await account.instrument(card, customer.id);
  const charge = { paymentInstrumentId, amount: 1500, currency: 'USD' };
  const { payment } = await account.api.ok('/payments/process', charge);
  await refund(payment.id);
  await failTestRefunds(platform.services);
  await advanceTo('2027-05-01T00:00:04.999Z');
  expect((await read(payment.id)).status).toBe('refunded');
  await advanceTo('2027-06-01T00:00:00.000Z');
  expect(await read(payment.id)).toMatchObject({ status: 'succeeded', updatedAt: '2027-05-01T00:00:05.000Z' });
  expect(await advanceTo('2027-07-01T00:00:00.000Z')).toMatchObject({ status: 'ready', stepsDone: 0 });
});

test('the database lets a refunded payment go back by a refund, and by nothing else', async () => {
  const id = String((await account.charge('tok_visa', { amount: 1000 })).payment['id']);
  await refund(id);
  for (const set of [
    `status = 'failed', "subStatus" = 'voided', "capturedAmount" = 0, "refundedAmount" = 0`,
    `status = 'succeeded', "subStatus" = 'captured', "capturedAmount" = 900, "refundedAmount" = 0`,
    `status = 'partially_refunded', "refundedAmount" = 1000`,
  ])
    await expect(platform.services.pool.query(`UPDATE payments SET ${set} WHERE id = $1`, [id])).rejects.toThrow();
});
