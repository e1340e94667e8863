import { expect, test } from 'vitest';
import { recordedByJob } from '../../../src/domains/payments/payment/follower.ts';
import { failRefund } from '../../../src/domains/payments/resolution/notices.ts';
import type { Answer } from '../../support/client.ts';
import { usePlatform } from '../../support/platform.ts';
import { seedPartner } from '../../support/seed.ts';

const platform = await usePlatform();
const account = await (await seedPartner(platform)).account();

/** Keys whose order and depth the database would not keep. */
const metadata = { zebra: '1', ä: '2', apple: '3', '10': '4', b: '5' };

let count = 0;

async function chargeOf(card: string, more: object = {}) {
  const { id: paymentInstrumentId } = await account.instrument(card);
  const body = { paymentInstrumentId, amount: 2500, currency: 'USD', metadata, ...more };
  const headers = { 'Idempotency-Key': `charge ${++count}` };
  const call = () => account.api.call('/payments/process', body, { headers });
  return { first: await call(), call, headers };
}

/** With the order of all keys. */
const textOf = ({ status, body }: Answer) => `${status} ${JSON.stringify(body)}`;

async function expectSame(first: Answer, again: Answer): Promise<void> {
  expect(textOf(again)).toBe(textOf(first));
  expect(again.headers.get('idempotent-replayed')).toBe('true');
}

test('200: a repeat answers what the first call did, after a refund and a dispute have changed the payment', async () => {
  const { first, call } = await chargeOf('tok_visa');
  const { id: paymentId } = first.body.payment;
  await account.api.ok('/payments/refund', { paymentId, amount: 500 });
  await account.api.ok('/test-disputes/create', { paymentId, amount: 100 });
  expect((await account.api.ok(`/payments/${paymentId}`)).payment.refundedAmount).toBe(500);
  await expectSame(first, await call());
  expect(first.body.payment).toMatchObject({ status: 'succeeded', capturedAmount: 2500, refundedAmount: 0, metadata });
});

test.each(['capture', 'void'])('200: a repeat answers an authorization as it was before its %s', async (change) => {
  const { first, call } = await chargeOf('tok_visa', { mode: 'auth' });
  await account.api.ok(`/payments/${change}`, { paymentId: first.body.payment.id });
  await expectSame(first, await call());
  expect(first.body.payment).toMatchObject({ subStatus: 'authorized', capturedAmount: 0 });
});

test('200: a repeat answers a challenge as it was, after it was continued', async () => {
  const { first, call } = await chargeOf('4000000000003220');
  const { id: paymentId, requireActionData } = first.body.payment;
  expect(requireActionData.url).toContain('http');
  const { services } = platform;
  const session = { id: requireActionData.threedsSessionId, status: 'pending' };
  await services.prisma.threeDsSession.updateMany({ where: session, data: { status: 'succeeded' } });
  const headers = { 'Idempotency-Key': `continue ${count}` };
  const resume = () => account.api.call('/payments/continue', { paymentId }, { headers });
  const continued = await resume();
  expect(continued.body.payment.status).toBe('succeeded');
  await account.api.ok('/payments/refund', { paymentId });
  await expectSame(first, await call());
  await expectSame(continued, await resume());
});

test('200: a repeat answers a declined charge with its reason', async () => {
  const { first, call } = await chargeOf('4000000000000002');
  await expectSame(first, await call());
  expect(first.body.payment).toMatchObject({ status: 'declined', failureCode: 'card_declined' });
});

test('200: a repeat answers a refund as it was, after another one was made and the first one has failed', async () => {
  const { first } = await chargeOf('tok_visa');
  const { id: paymentId } = first.body.payment;
  const headers = { 'Idempotency-Key': `refund ${count}` };
  const refund = () => account.api.call('/payments/refund', { paymentId, amount: 500 }, { headers });
  const refunded = await refund();
  await account.api.ok('/payments/refund', { paymentId, amount: 700 });
  const transaction = refunded.body.transactions.at(-1);
  await failRefund(
    platform.services.pool,
    recordedByJob(platform.services, 'a test'),
    first.body.payment,
    transaction.id,
  );
  const { payment, transactions } = await account.api.ok(`/payments/${paymentId}`);
  expect([payment.refundedAmount, transactions.length, transactions[1].status]).toEqual([700, 3, 'failed']);
  await expectSame(refunded, await refund());
  expect([transaction.status, refunded.body.transactions.length]).toEqual(['succeeded', 2]);
});

test('200: repeats of refunds that were made at once answer each what it did, with the others as they were then', async () => {
  const { first } = await chargeOf('tok_visa');
  const { id: paymentId } = first.body.payment;
  const calls = Array.from({ length: 12 }, (_, n) => {
    const headers = { 'Idempotency-Key': `at once ${count} ${n}` };
    return () => account.api.call('/payments/refund', { paymentId, amount: 100 + n }, { headers });
  });
  const firsts = await Promise.all(calls.map((call) => call()));
  expect(firsts.map(({ status }) => status)).toEqual(calls.map(() => 200));
  for (const [at, call] of calls.entries()) await expectSame(firsts[at] as Answer, await call());
});

test('a stored refund has the number of its transactions and no copy of those that have succeeded', async () => {
  const { first } = await chargeOf('tok_visa');
  const headers = { 'Idempotency-Key': `refund ${count}` };
  const body = { paymentId: first.body.payment.id, amount: 500 };
  const refunded = await account.api.call('/payments/refund', body, { headers });
  const { answer } = await platform.services.prisma.idempotencyRecord.findFirstOrThrow({
    where: { key: headers['Idempotency-Key'] },
  });
  expect(answer).toMatchObject({ transactionCount: refunded.body.transactions.length, others: [] });
  expect(answer).not.toHaveProperty('transactions');
});

test('200: an answer that was stored whole, as one of an unknown outcome is, is answered as it is', async () => {
  const { first, call, headers } = await chargeOf('tok_visa');
  const { prisma } = platform.services;
  const key = headers['Idempotency-Key'];
  const { transactions, ...payment } = await prisma.payment.findUniqueOrThrow({
    where: { id: first.body.payment.id },
    include: { transactions: true },
  });
  const answer = { payment: { ...payment, failureMessage: 'As it was stored.', metadata }, transactions };
  const asText = JSON.stringify(answer, (_name, value) => (typeof value === 'bigint' ? Number(value) : value));
  await prisma.idempotencyRecord.updateMany({ where: { key }, data: { answer: JSON.parse(asText) } });
  const again = await call();
  expect(again.body.payment).toEqual({ ...first.body.payment, failureMessage: 'As it was stored.' });
  expect(again.body.transactions).toEqual(first.body.transactions);
});

test('a stored answer has what may change, and no second copy of the rest', async () => {
  const { first, headers } = await chargeOf('tok_visa', { metadata: {} });
  const { answer } = await platform.services.prisma.idempotencyRecord.findFirstOrThrow({
    where: { key: headers['Idempotency-Key'] },
  });
  expect(answer).toEqual({
    paymentId: first.body.payment.id,
    changing: {
      capturedAmount: 2500,
      processorId: first.body.payment.processorId,
      status: 'succeeded',
      subStatus: 'captured',
      sequence: 2,
      updatedAt: first.body.payment.updatedAt,
    },
    transactions: first.body.transactions.map(({ id, status, processorReference }: Record<string, string>) => ({
      id,
      status,
      processorReference,
    })),
  });
});
