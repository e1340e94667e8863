import { expect, test } from 'vitest';
import { eraseDeletedCards } from '../../../src/domains/instruments/jobs.ts';
import { manualClock } from '../../../src/lib/clock.ts';
import { usePlatform } from '../../support/platform.ts';
import { seedPartner } from '../../support/seed.ts';

const clock = manualClock(new Date());
const hourMs = 3_600_000;

const platform = await usePlatform({ clock });
const { services } = platform;
const account = await (await seedPartner(platform)).account();

const number = '4242424242424242';
const erase = () => eraseDeletedCards(services);
const remove = (id: string) => account.api.ok(`/payment-instruments/${id}`, undefined, { method: 'DELETE' });

async function hasNumber(id: string): Promise<boolean> {
  const { cardId, platformAccountId, mode } = await services.prisma.paymentInstrument.findUniqueOrThrow({
    where: { id },
  });
  return services.vault.reveal(cardId, { platformAccountId, mode }).then(
    ({ cardNumber }) => cardNumber === number || cardNumber === '4000000000003220',
    () => false,
  );
}

test('the number of a deleted card is erased an hour later, not before; its row answers as before', async () => {
  const [deleted, kept] = [await account.instrument(number), await account.instrument(number)];
  await remove(deleted.id);
  const before = await account.api.ok(`/payment-instruments/${deleted.id}`);
  clock.advance(hourMs - 1);
  expect(await erase()).toBe(0);
  expect(await hasNumber(deleted.id)).toBe(true);
  clock.advance(1);
  expect(await erase()).toBe(1);
  expect(await erase()).toBe(0);
  expect([await hasNumber(deleted.id), await hasNumber(kept.id)]).toEqual([false, true]);
  expect(await account.api.ok(`/payment-instruments/${deleted.id}`)).toEqual(before);
});

test('it is erased on a test clock by real time, whatever the clock shows', async () => {
  const { id: testClockId } = await account.api.ok('/test-clocks/create', {
    name: 'ahead',
    now: '2040-01-01T00:00:00Z',
  });
  const { id: customerId } = await account.api.ok('/customers/create', { email: 'ahead@example.com', testClockId });
  const { id } = await account.instrument(number, customerId);
  await remove(id);
  clock.advance(hourMs);
  expect(await erase()).toBe(1);
  expect(await hasNumber(id)).toBe(false);
});

test('while a payment with it waits for its challenge the number is kept; a held authorization needs none', async () => {
  const pay = async (card: string, more: object) => {
    const { id: paymentInstrumentId } = await account.instrument(card);
    const order = { storeId: account.storeId, paymentInstrumentId, amount: 2500, currency: 'USD', ...more };
    const { payment } = await account.api.ok('/payments/process', order);
    await remove(paymentInstrumentId);
    return { id: paymentInstrumentId, payment };
  };
  const challenged = await pay('4000000000003220', {});
  const held = await pay(number, { mode: 'auth' });
  expect(challenged.payment.subStatus).toBe('requires_action');
  clock.advance(hourMs);
  expect(await erase()).toBe(1);
  expect([await hasNumber(challenged.id), await hasNumber(held.id)]).toEqual([true, false]);
  const captured = await account.api.ok('/payments/capture', { paymentId: held.payment.id });
  expect(captured.payment.status).toBe('succeeded');
  expect((await account.api.ok('/payments/refund', { paymentId: held.payment.id })).payment.status).toBe('refunded');
  await services.prisma.payment.update({
    where: { id: challenged.payment.id },
    data: { status: 'failed', subStatus: 'authentication_expired' },
  });
  expect(await erase()).toBe(1);
  expect(await hasNumber(challenged.id)).toBe(false);
});

test('a card that cannot be erased does not stop the others, and is erased by a later run', async () => {
  const stuck = await account.instrument(number);
  const other = await account.instrument(number);
  for (const { id } of [stuck, other]) await remove(id);
  clock.advance(hourMs);
  const { cardId } = await services.prisma.paymentInstrument.findUniqueOrThrow({ where: { id: stuck.id } });
  const failing = {
    ...services,
    vault: {
      ...services.vault,
      remove: (id: string) => (id === cardId ? Promise.reject(new Error('away')) : services.vault.remove(id)),
    },
  };
  expect(await eraseDeletedCards(failing)).toBe(1);
  expect([await hasNumber(stuck.id), await hasNumber(other.id)]).toEqual([true, false]);
  expect(await erase()).toBe(1);
  expect(await hasNumber(stuck.id)).toBe(false);
});
