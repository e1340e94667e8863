import { expect, test } from 'vitest';
import { modificationFactsReader, paymentsInFlight } from '../../../src/domains/payments/modification/facts.ts';
import { usePlatform } from '../../support/platform.ts';
import { seedPartner } from '../../support/seed.ts';

const platform = await usePlatform();
const account = await (await seedPartner(platform)).account();

async function charged() {
  const { id: paymentInstrumentId } = await account.instrument('tok_visa');
  const { payment } = await account.api.ok('/payments/process', { paymentInstrumentId, amount: 2500, currency: 'USD' });
  const inFlight = paymentsInFlight();
  inFlight.enter(payment.id);
  const { partnerId, platformAccountId } = await platform.services.prisma.payment.findUniqueOrThrow({
    where: { id: payment.id },
  });
  const read = modificationFactsReader(platform.services.pool, inFlight);
  const asAccount = (accountId = platformAccountId) =>
    read({ partnerId, mode: 'test', platformAccountId: accountId }, payment.id);
  return { id: payment.id as string, inFlight, read: asAccount };
}

test('the transactions of a payment that is as it was left are those that are known, and others are read', async () => {
  const { id, inFlight, read } = await charged();
  const facts = await read();
  if (!facts) throw new Error('The payment is not found.');
  expect(facts.state.transactions).toMatchObject([{ type: 'purchase', status: 'succeeded' }]);
  const left = { state: { ...facts.state, transactions: [] }, version: facts.version };
  inFlight.note(id, left);
  expect((await read())?.state.transactions).toBe(left.state.transactions);
  await account.api.ok('/payments/refund', { paymentId: id, amount: 500 });
  const changed = await read();
  expect(changed?.version).not.toBe(facts.version);
  expect(changed?.state.transactions).toMatchObject([{ type: 'purchase' }, { type: 'refund', status: 'succeeded' }]);
  expect(changed?.state.payment.refundedAmount).toBe(500);
});

test('a payment that is known is not found for the key of another account', async () => {
  const { id, inFlight, read } = await charged();
  const facts = await read();
  inFlight.note(id, facts ? { state: facts.state, version: facts.version } : null);
  expect(await read('tpa_other')).toBeUndefined();
});
