import { afterAll, afterEach, beforeAll } from 'vitest';
import { createTestProcessor } from '../../../src/adapters/test-processor/test-processor.ts';
import { manualClock } from '../../../src/lib/clock.ts';
import { freshDatabase } from '../../support/database.ts';
import { startTestPlatform, type TestPlatform, type TestPlatformOptions } from '../../support/platform.ts';
import { type DelayedProcessor, delayedProcessor } from '../../support/processor-line.ts';
import { disableRateLimits } from '../../support/rates.ts';
import { type SeededAccount, type SeededPartner, seedPartner } from '../../support/seed.ts';
import { dayMs, passTo, priceOf } from '../../support/subscriptions.ts';

/** A card that its bank wants confirmed at renewals, and one that has expired by then. */
export const asksCard = '4000002760003184';
export const expiresCard = '4000000000000697';

const json = { 'Content-Type': 'application/json' };

/** A platform with subscriptions that are past due because their cardholder has to act, and their hosted pages. */
export function cardholderWorld(options: TestPlatformOptions = {}) {
  const clock = manualClock(new Date('2026-03-01T10:00:00.000Z'));
  let processor: ReturnType<typeof createTestProcessor>;
  let line: DelayedProcessor;
  let platform: TestPlatform;
  let partner: SeededPartner;
  let account: SeededAccount;
  let priceId: string;
  beforeAll(async () => {
    const databaseUrl = await freshDatabase();
    processor = createTestProcessor({ database: databaseUrl, clock });
    line = delayedProcessor(processor);
    platform = await startTestPlatform({
      ...options,
      databaseUrl,
      clock,
      processors: new Map([['test', line.processor]]),
    });
    await disableRateLimits(platform);
    partner = await seedPartner(platform);
    account = await partner.account();
    priceId = await priceOf(account);
  });
  // Otherwise their retries fall due in the tests that follow.
  afterEach(async () => {
    const filters = { status: ['active', 'past_due'] };
    const { items } = await account.api.ok('/subscriptions/list', { pageSize: 100, filters });
    if (items.length > 0)
      await account.api.ok('/subscriptions/cancel', { subscriptionIds: items.map(({ id }: { id: string }) => id) });
  });
  afterAll(async () => {
    await platform?.close();
    await processor?.close();
  });

  const read = (id: string) => account.api.ok(`/subscriptions/${id}`);

  /** A subscription whose trial has ended with a decline that asks for the cardholder. */
  async function pastDue(card: string = asksCard) {
    const { id: paymentInstrumentId, customerId } = await account.instrument(card);
    const { id } = await account.api.ok('/subscriptions/create', { customerId, priceId, trialDays: 1 });
    await passTo(platform, clock, new Date(clock.now().getTime() + dayMs));
    const shown = await read(id);
    return { id, customerId, paymentInstrumentId, url: shown.actionRequired.url as string, dueAt: clock.now() };
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
    get line() {
      return line;
    },
    get priceId() {
      return priceId;
    },
    read,
    pastDue,
    pass: (days: number) => passTo(platform, clock, new Date(clock.now().getTime() + days * dayMs)),
    passTo: (to: Date) => passTo(platform, clock, to),
    /** The page as a browser is shown it, as its status and its text. */
    async page(url: string, headers: Record<string, string> = {}) {
      const response = await fetch(url, { headers: { Accept: 'text/html', ...headers }, redirect: 'manual' });
      return { status: response.status, headers: response.headers, text: await response.text() };
    },
    /** What the script of the page sends, and is answered. */
    async act(url: string, path: 'confirm' | 'pay', body: object = {}) {
      const response = await fetch(`${url}/${path}`, { method: 'POST', headers: json, body: JSON.stringify(body) });
      return { status: response.status, body: JSON.parse(await response.text()) };
    },
    cardOf: (cardNumber = '4242424242424242') => ({ cardNumber, expiry: '12 / 35', cvc: '123' }),
    /** Answers the challenge that waits, as the cardholder does, and returns to the page. */
    async answer(url: string, outcome: 'success' | 'fail') {
      const link = new URL(url);
      const gone = await fetch(`${url}/challenge`, { redirect: 'manual' });
      const challengeUrl = gone.headers.get('location') ?? '';
      await fetch(challengeUrl, { method: 'POST', headers: json, body: JSON.stringify({ outcome }) });
      const cookie = (gone.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
      const id = link.pathname.split('/')[2]?.split('.')[0];
      const back = await fetch(`${link.origin}/cardholder/return/${id}?paymentId=pay_1`, {
        headers: { cookie },
        redirect: 'manual',
      });
      const response = await fetch(back.headers.get('location') ?? '', { headers: { Accept: 'text/html' } });
      return { challengeUrl, back, status: response.status, text: await response.text() };
    },
  };
}
