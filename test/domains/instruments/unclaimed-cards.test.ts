import { expect, test } from 'vitest';
import { purgeUnclaimedCards } from '../../../src/domains/instruments/jobs.ts';
import { manualClock } from '../../../src/lib/clock.ts';
import { usePlatform } from '../../support/platform.ts';
import { seedPartner } from '../../support/seed.ts';

const clock = manualClock(new Date('2030-01-01T00:00:00.000Z'));
const minuteMs = 60_000;

const platform = await usePlatform({ clock });
const account = await (await seedPartner(platform)).account();

const kept = async () =>
  (await platform.services.vaultDatabase.pool.query<{ n: number }>('SELECT count(*) AS n FROM vault.cards')).rows[0]?.n;
const tokenize = () =>
  account.api.ok('/payment-instruments/tokenize', {
    cardNumber: '4242424242424242',
    expMonth: 12,
    expYear: 2035,
    cvc: '123',
  });
const use = (token: string) =>
  account.api.call('/payment-instruments/create-from-token', { token, customerData: { email: 'payer@example.com' } });

test('a card whose token expired an hour ago leaves the vault, one that became an instrument stays', async () => {
  const { token } = await tokenize();
  const used = await use((await tokenize()).token);
  clock.advance(90 * minuteMs);
  expect(await purgeUnclaimedCards(platform.services)).toBe(0);
  expect(await kept()).toBe(2);
  clock.advance(1);
  expect(await purgeUnclaimedCards(platform.services)).toBe(1);
  expect(await purgeUnclaimedCards(platform.services)).toBe(0);
  expect(await kept()).toBe(1);
  expect((await use(token)).status).toBe(404);
  const { payment } = await account.api.ok('/payments/process', {
    paymentInstrumentId: used.body.paymentInstrument.id,
    amount: 100,
    currency: 'USD',
  });
  expect(payment.status).toBe('succeeded');
});

test('a card without a reference leaves the vault after an hour; those of test tokens stay', async () => {
  const before = await kept();
  await account.instrument('tok_visa');
  await platform.services.vault.store({
    cardNumber: '4242424242424242',
    expMonth: 12,
    expYear: 2035,
    cvc: '123',
    cvcExpiresAt: clock.now(),
    platformAccountId: account.id,
    mode: 'test',
  });
  clock.advance(60 * minuteMs);
  expect(await purgeUnclaimedCards(platform.services)).toBe(0);
  clock.advance(1);
  expect(await purgeUnclaimedCards(platform.services)).toBe(1);
  expect(await kept()).toBe((before ?? 0) + 1);
});
