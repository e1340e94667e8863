import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { verifyLedger } from '../../../src/domains/ledger/verify-ledger.ts';
import { manualClock } from '../../../src/lib/clock.ts';
import { startTestPlatform, type TestPlatform } from '../../support/platform.ts';
import { type SeededAccount, type SeededPartner, seedPartner } from '../../support/seed.ts';
import { dayMs, expectOneEventATransition, passTo, priceOf } from '../../support/subscriptions.ts';

/**
 * A platform whose clock starts at a month's last day, with an account and a price, for the tests of a file. After each
 * test its subscriptions are canceled, which would otherwise be renewed in all that follow; the last test of the file
 * is that the ledger agrees.
 */
export function subscriptionWorld() {
  const clock = manualClock(new Date('2026-01-31T10:00:00.000Z'));
  let platform: TestPlatform;
  let partner: SeededPartner;
  let account: SeededAccount;
  let priceId: string;
  beforeAll(async () => {
    platform = await startTestPlatform({ clock });
    partner = await seedPartner(platform);
    account = await partner.account();
    priceId = await priceOf(account);
  });
  afterEach(async () => {
    await expectOneEventATransition(platform);
    const { items } = await account.api.ok('/subscriptions/list', {
      pageSize: 100,
      filters: { status: ['active', 'trialing', 'past_due', 'paused', 'incomplete'] },
    });
    if (items.length > 0)
      await account.api.ok('/subscriptions/cancel', { subscriptionIds: items.map(({ id }: { id: string }) => id) });
  });
  afterAll(() => platform?.close());

  const days = (count: number) => new Date(clock.now().getTime() + count * dayMs);
  const ok = (what: string, body: Record<string, unknown>) => account.api.ok(`/subscriptions/${what}`, body);

  async function subscribe(card = 'tok_visa', more: Record<string, unknown> = {}) {
    const { id: paymentInstrumentId, customerId } = await account.instrument(card);
    return { paymentInstrumentId, customerId, ...(await ok('create', { customerId, priceId, ...more })) };
  }

  return {
    clock,
    get platform() {
      return platform;
    },
    get partner() {
      return partner;
    },
    get account() {
      return account;
    },
    get priceId() {
      return priceId;
    },
    days,
    pass: (count: number) => passTo(platform, clock, days(count)),
    subscribe,
    addCard: async (customerId: string, card: string) => (await account.instrument(card, customerId)).id,
    read: (id: string) => account.api.ok(`/subscriptions/${id}`),
    call: (what: string, body: Record<string, unknown>) => account.api.call(`/subscriptions/${what}`, body),
    ok,
    /** To be called after the tests of a file. */
    expectLedgerToAgree: () =>
      test('the ledger and the records of the processor agree', async () =>
        expect((await verifyLedger(platform.services)).differences).toEqual([])),
  };
}
