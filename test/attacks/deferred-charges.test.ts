import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { verifyLedger } from '../../src/domains/ledger/verify-ledger.ts';
import { runDueSubscriptions } from '../../src/domains/subscriptions/periods/run-subscription.ts';
import { manualClock } from '../../src/lib/clock.ts';
import { signedIn } from '../iam/people.ts';
import { lockTable, untilWaiting } from '../support/lock-waits.ts';
import { usePlatform } from '../support/platform.ts';
import { type SeededAccount, type SeededPartner, seedPartner } from '../support/seed.ts';
import { chargesOf, dayMs, eventsOf, passTo, priceOf } from '../support/subscriptions.ts';

const clock = manualClock(new Date('2026-01-15T09:00:00Z'));

let partner: SeededPartner;
let account: SeededAccount;
let priceId: string;

const platform = await usePlatform({ clock });
const operator = await signedIn(platform, { platformRoles: ['hubadmin'] });
beforeEach(async () => {
  partner = await seedPartner(platform);
  account = await partner.account();
  priceId = await priceOf(account);
});
afterAll(async () => {
  expect((await verifyLedger(platform.services)).differences).toEqual([]);
});

const pass = (days: number) => passTo(platform, clock, new Date(clock.now().getTime() + days * dayMs));
/** Advances time at once and runs the job then. */
const jump = (days: number) => {
  clock.advance(days * dayMs);
  return runDueSubscriptions(platform.services);
};
const call = (what: string, body: object) => account.api.call(`/subscriptions/${what}`, body);
const read = (id: string) => account.api.ok(`/subscriptions/${id}`);
async function subscribe(more: object = {}, card = 'tok_visa'): Promise<any> {
  const { customerId } = await account.instrument(card);
  return account.api.ok('/subscriptions/create', { customerId, priceId, ...more });
}
const setPartner = async (status: string) =>
  expect((await operator.iam('/partners-admin/update', { id: partner.id, status })).status).toBe(200);
const setAccount = async (what: 'suspendAccount' | 'activateAccount') =>
  expect(
    (await operator.graphql(`mutation ($id: ID!) { ${what}(platformAccountId: $id) { status } }`, { id: account.id }))
      .errors,
  ).toBeUndefined();
/** What operators see of the account, oldest first, as `date amount reason status`. */
async function deferred(): Promise<string[]> {
  const { data } = await operator.graphql(
    `query ($filters: DeferredChargeFilters) {
      deferredCharges(mode: test, pageSize: 100, filters: $filters) {
        items { partnerId platformAccountId subscriptionId amount currency dueAt reason status }
      }
    }`,
    { filters: { platformAccountId: account.id } },
  );
  return data.deferredCharges.items
    .map(({ amount, dueAt, reason, status }: Record<string, string>) =>
      [dueAt?.slice(0, 10), amount, reason, status].join(' '),
    )
    .sort();
}

describe('a subscription of a suspended partner', () => {
  test('is not charged; it goes on at once with the period that has begun, and skips those that are over', async () => {
    const made = await subscribe();
    await setPartner('suspended');
    await pass(32);
    await jump(68); // to April 25
    expect(await chargesOf(platform, made.id)).toEqual(['1000 succeeded']);
    expect(await deferred()).toEqual([
      '2026-02-15 1000 partner_suspended deferred',
      '2026-03-15 1000 partner_suspended deferred',
      '2026-04-15 1000 partner_suspended deferred',
    ]);
    expect((await read(made.id)).status).toBe('active');
    await setPartner('active');
    await runDueSubscriptions(platform.services);
    expect(await chargesOf(platform, made.id)).toEqual(['1000 succeeded', '1000 succeeded']);
    expect(await read(made.id)).toMatchObject({
      status: 'active',
      currentPeriodStart: '2026-04-15T09:00:00.000Z',
      currentPeriodEnd: '2026-05-15T09:00:00.000Z',
    });
    expect(await deferred()).toEqual([
      '2026-02-15 1000 partner_suspended skipped',
      '2026-03-15 1000 partner_suspended skipped',
      '2026-04-15 1000 partner_suspended charged',
    ]);
    await pass(25);
    expect(await chargesOf(platform, made.id)).toHaveLength(3);
    expect(await eventsOf(platform, made.id)).toEqual([
      'created',
      'activated',
      'rebillSucceeded',
      'rebillUpcoming',
      'rebillSucceeded',
    ]);
  });

  test('is shown with the price that a scheduled change would charge', async () => {
    const made = await subscribe();
    const yearly = await priceOf(account, { amount: 9000, interval: 'year' });
    await call('update', { subscriptionId: made.id, priceId: yearly, prorate: false });
    await setPartner('suspended');
    await jump(70);
    expect((await deferred()).map((line) => line.slice(11))).toEqual(['9000 partner_suspended deferred']);
    await setPartner('active');
    await runDueSubscriptions(platform.services);
    expect(await chargesOf(platform, made.id)).toEqual(['1000 succeeded', '9000 succeeded']);
    expect((await deferred()).map((line) => line.slice(11))).toEqual(['9000 partner_suspended charged']);
  });

  test('starts with the period that has begun when its trial ended meanwhile', async () => {
    const made = await subscribe({ trialDays: 10 });
    const endedAt = new Date(made.trialEndsAt);
    await setPartner('suspended');
    await jump(50);
    expect([await chargesOf(platform, made.id), (await read(made.id)).status]).toEqual([[], 'trialing']);
    await setPartner('active');
    await runDueSubscriptions(platform.services);
    const { currentPeriodStart, status } = await read(made.id);
    expect([await chargesOf(platform, made.id), status]).toEqual([['1000 succeeded'], 'active']);
    expect(new Date(currentPeriodStart).getUTCDate()).toBe(endedAt.getUTCDate());
    expect((await deferred()).map((line) => line.split(' ').at(-1))).toEqual(['skipped', 'charged']);
  });

  test('is not retried; the retry is made once, after the suspension', async () => {
    const made = await subscribe({}, '4000000000000341');
    await passTo(platform, clock, new Date(made.currentPeriodEnd));
    expect(await chargesOf(platform, made.id)).toEqual(['1000 succeeded', '1000 declined']);
    await setPartner('suspended');
    await jump(2);
    expect(await chargesOf(platform, made.id)).toHaveLength(2);
    expect((await deferred()).map((line) => line.slice(11))).toEqual(['1000 partner_suspended deferred']);
    await setPartner('active');
    await runDueSubscriptions(platform.services);
    expect(await chargesOf(platform, made.id)).toEqual(['1000 succeeded', '1000 declined', '1000 declined']);
    expect((await read(made.id)).status).toBe('past_due');
  });

  test('is charged neither for the periods that are over when its retry is paid after the suspension', async () => {
    const made = await subscribe({}, '4000000000000341');
    await passTo(platform, clock, new Date(made.currentPeriodEnd));
    const good = await account.instrument('tok_visa', made.customerId);
    await call('update', { subscriptionId: made.id, paymentInstrumentId: good.id });
    await setPartner('suspended');
    await jump(100);
    await setPartner('active');
    await runDueSubscriptions(platform.services);
    // the retry of the period that had begun before, and the period that has begun
    const succeeded = (await chargesOf(platform, made.id)).filter((charge) => charge.endsWith('succeeded'));
    expect(succeeded).toHaveLength(3);
    const { currentPeriodStart, currentPeriodEnd, status } = await read(made.id);
    expect([status, new Date(currentPeriodEnd) > clock.now(), new Date(currentPeriodStart) <= clock.now()]).toEqual([
      'active',
      true,
      true,
    ]);
    await pass(35);
    expect((await chargesOf(platform, made.id)).filter((charge) => charge.endsWith('succeeded'))).toHaveLength(4);
  });

  test('is not resumed at a time at which it would be charged', async () => {
    const made = await subscribe();
    const resumeAt = new Date(new Date(made.currentPeriodEnd).getTime() + dayMs).toISOString();
    await call('pause', { subscriptionId: made.id, resumeAt });
    await setPartner('suspended');
    await jump(40);
    expect([await chargesOf(platform, made.id), (await read(made.id)).status]).toEqual([['1000 succeeded'], 'paused']);
    await setPartner('active');
    await runDueSubscriptions(platform.services);
    expect(await read(made.id)).toMatchObject({ status: 'active', currentPeriodStart: resumeAt });
    expect(await chargesOf(platform, made.id)).toHaveLength(2);
  });

  test('200 to cancel it with a key, which leaves nothing deferred; at the end of its period it ends by itself', async () => {
    const [now, later] = [await subscribe(), await subscribe()];
    await call('cancel', { subscriptionId: later.id, cancelAtPeriodEnd: true });
    await setPartner('suspended');
    await jump(35);
    expect((await read(later.id)).status).toBe('canceled');
    expect((await call('cancel', { subscriptionId: now.id })).status).toBe(200);
    expect((await deferred()).map((line) => line.split(' ').at(-1))).toEqual(['canceled']);
    await setPartner('active');
    await pass(35);
    for (const { id } of [now, later]) expect(await chargesOf(platform, id)).toHaveLength(1);
  });
});

describe('an account or partner that may not charge', () => {
  test('offboarded: every further period is recorded, and none is charged', async () => {
    const made = await subscribe();
    const superadmin = await signedIn(platform, { platformRoles: ['superadmin'] });
    expect((await superadmin.iam('/partners-admin/archive', { id: partner.id })).status).toBe(200);
    await jump(60);
    await jump(70);
    expect(await chargesOf(platform, made.id)).toHaveLength(1);
    const lines = await deferred();
    expect(new Set(lines.map((line) => line.slice(11)))).toEqual(new Set(['1000 partner_offboarded deferred']));
    expect(lines.length).toBeGreaterThanOrEqual(3);
  });

  test('403 and nothing changed for what would charge: create, rebill, resume', async () => {
    const [active, paused] = [await subscribe(), await subscribe()];
    await call('pause', { subscriptionId: paused.id });
    await passTo(platform, clock, new Date(new Date(active.currentPeriodEnd).getTime() - 1));
    await setAccount('suspendAccount');
    clock.advance(60_000);
    const { customerId } = await account.instrument();
    const [before, events] = [await read(paused.id), await eventsOf(platform, paused.id)];
    for (const [what, body] of [
      ['create', { customerId, priceId }],
      ['create', { customerId, priceId, trialDays: 3 }],
      ['rebill', { subscriptionId: active.id }],
      ['resume', { subscriptionId: paused.id }],
    ] as const) {
      const { status, body: error } = await call(what, body);
      expect([what, status, error.data]).toEqual([what, 403, { reason: 'account_not_active' }]);
    }
    expect([await read(paused.id), await eventsOf(platform, paused.id)]).toEqual([before, events]);
    await setAccount('activateAccount');
    expect((await call('resume', { subscriptionId: paused.id })).status).toBe(200);
  });

  test('a first charge that is refused is not made later: the subscription stays incomplete, and nothing is deferred', async () => {
    const { customerId } = await account.instrument();
    const setStatus = (status: string) =>
      platform.services.prisma.processingAccount.update({ where: { id: account.id }, data: { status } });
    // A charge reads the flows of its account first.
    const unlock = await lockTable(platform, 'payment_flows');
    const creating = call('create', { customerId, priceId });
    await untilWaiting(platform);
    await setStatus('suspended');
    await unlock();
    await creating;
    const { items } = await account.api.ok('/subscriptions/list', {});
    expect(items).toMatchObject([{ status: 'incomplete' }]);
    const { id } = items[0];
    await setStatus('active');
    await runDueSubscriptions(platform.services);
    clock.advance(23 * 3_600_000 - 1);
    await runDueSubscriptions(platform.services);
    expect([(await read(id)).status, await chargesOf(platform, id), await deferred()]).toEqual(['incomplete', [], []]);
    await pass(35);
    expect([(await read(id)).status, await chargesOf(platform, id), await deferred()]).toEqual(['canceled', [], []]);
  });

  test('partner staff see what was deferred of their own partner', async () => {
    const { id: subscriptionId } = await subscribe();
    await setPartner('suspended');
    await jump(32);
    const query = '{ deferredCharges(mode: test) { total items { partnerId platformAccountId subscriptionId } } }';
    const own = await signedIn(platform, { platformRoles: ['partneradmin'], whitelabelOwnership: partner.slug });
    expect((await own.graphql(query)).data.deferredCharges).toEqual({
      total: 1,
      items: [{ partnerId: partner.id, platformAccountId: account.id, subscriptionId }],
    });
    const other = await seedPartner(platform);
    const foreign = await signedIn(platform, { platformRoles: ['partneradmin'], whitelabelOwnership: other.slug });
    expect((await foreign.graphql(query)).data.deferredCharges.total).toBe(0);
  });
});

// Last: what is left on a test clock is due for ever.
describe('a test clock', () => {
  test('is not charged on its test clock; after the suspension the clock goes on', async () => {
    const start = clock.now().toISOString();
    const { id: clockId } = await account.api.ok('/test-clocks/create', { name: 'Months', now: start });
    const { id: customerId } = await account.api.ok('/customers/create', {
      email: 'clock@example.com',
      testClockId: clockId,
    });
    await account.api.ok('/payment-instruments/create-from-token', { token: 'tok_visa', customerId });
    const made = await account.api.ok('/subscriptions/create', { customerId, priceId });
    const advance = async (days: number) => {
      const { now } = await account.api.ok(`/test-clocks/${clockId}`);
      const to = new Date(new Date(now).getTime() + days * dayMs).toISOString();
      return account.api.call(`/test-clocks/${clockId}/advance`, { to });
    };
    await setAccount('suspendAccount');
    expect((await advance(65)).body.status).toBe('ready');
    expect(await chargesOf(platform, made.id)).toHaveLength(1);
    expect((await deferred()).map((line) => line.slice(11))).toEqual([
      '1000 account_suspended deferred',
      '1000 account_suspended deferred',
    ]);
    await setAccount('activateAccount');
    expect((await advance(1)).body.status).toBe('ready');
    expect(await chargesOf(platform, made.id)).toHaveLength(2);
    await setPartner('suspended');
    const refused = await account.api.call(`/test-clocks/${clockId}/advance`, { to: start });
    expect([refused.status, refused.body.data]).toEqual([403, { reason: 'partner_not_active' }]);
  });
});
