import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { advanceTestClocks } from '../../../src/domains/test-clocks/jobs.ts';
import { deliverWebhooks } from '../../../src/domains/webhooks/deliveries/jobs.ts';
import { releaseFutureDeliveries } from '../../../src/domains/webhooks/deliveries/rows.ts';
import { startJobs } from '../../../src/jobs/jobs.ts';
import { countInWindow } from '../../../src/limits/sliding-window.ts';
import { countAttempt, countCalls } from '../../../src/limits/windows.ts';
import { peopleOf } from '../../iam/identity/people.ts';
import { type Client, clientOf } from '../../support/client.ts';
import { asOwner } from '../../support/database.ts';
import { type Receiver, startReceiver } from '../../support/receiver.ts';
import { priceOf } from '../../support/subscriptions.ts';
import { type DifferingWorld, dayMs, differences, differingWorld, hourMs, runEveryJob } from './differing-world.ts';

let world: DifferingWorld;
let receiver: Receiver;
/** The same account at the server whose clock differs. */
let other: Client;
let cookie: string;

beforeAll(async () => {
  world = await differingWorld();
  receiver = await startReceiver();
  other = clientOf(world.other, world.account.subKey);
  await world.account.api.ok('/webhooks', { url: receiver.url, eventTypes: ['customer/created'] });
  const people = peopleOf(world.right);
  ({ cookie } = await people.signIn(await people.create()));
});
afterAll(async () => {
  await receiver?.close();
  await world?.close();
});

const keyed = (key: string) => ({ headers: { 'Idempotency-Key': key } });
/** Whether a time is one since a moment, however long that took. The clock of the database may differ by a moment. */
const isSince = (moment: number, time: unknown) => {
  const at = Date.parse(String(time));
  return at > moment - 500 && at < Date.now() + 500;
};
/** Of a plan of 500 calls a minute. */
const tokensASecond = 500 / 60;
/** The bucket of the account, and whether its time is of the database and since a moment, however long that took. */
async function bucketSince(
  moment: Date | undefined,
): Promise<{ afterS: number; isOfDatabase: boolean; tokens: number }> {
  const { rows } = await asOwner<{ afterS: number; aheadS: number; tokens: number }>(
    world.right,
    `SELECT extract(epoch FROM at - $2)::float8 AS "afterS", extract(epoch FROM at - now())::float8 AS "aheadS", tokens
    FROM limits.buckets WHERE owner = $1`,
    [world.account.id, moment],
  );
  const { afterS = Number.NaN, aheadS = Number.NaN, tokens = Number.NaN } = rows[0] ?? {};
  return { afterS, isOfDatabase: afterS > -0.5 && aheadS < 0.5, tokens };
}
const isSignedIn = async (url: string, by = cookie) =>
  (await clientOf({ url }).graphql('{ me { email } }', {}, { Cookie: by })).data?.me != null;

describe.each(differences)('a server %s', (name, aheadMs) => {
  const mail = `${aheadMs}@example.com`;
  const key = `key-${aheadMs}`;
  const create = (api: Client) => api.call('/customers/create', { email: mail }, keyed(key));

  test('writes what the other server keeps, delivers at once, and replays', async () => {
    await world.setAhead(aheadMs);
    const began = Date.now();
    const first = await create(other);
    expect([first.status, isSince(began, first.body.createdAt)]).toEqual([200, true]);
    const before = receiver.received.length;
    await runEveryJob(world.right);
    await receiver.arrived(before + 1);
    expect(receiver.received.at(-1)).toMatchObject({ event: { data: { object: { email: mail } } } });
    expect(isSince(began, receiver.received.at(-1)?.event['createdAt'])).toBe(true);
    for (const api of [world.account.api, other]) {
      const again = await create(api);
      expect([again.headers.get('idempotent-replayed'), again.body]).toEqual(['true', first.body]);
    }
  });

  test('makes holds, trials and sessions that last as long as those of any other', async () => {
    const { storeId, api, instrument } = world.account;
    const { id: paymentInstrumentId, customerId } = await instrument();
    const { payment } = await other.ok('/payments/process', {
      storeId,
      paymentInstrumentId,
      amount: 100,
      currency: 'USD',
      mode: 'auth',
    });
    const began = Date.now();
    const trial = await other.ok('/subscriptions/create', {
      customerId,
      paymentInstrumentId,
      priceId: await priceOf(world.account),
      trialDays: 7,
    });
    expect(isSince(began, new Date(Date.parse(trial.trialEndsAt) - 7 * dayMs).toISOString())).toBe(true);
    const { id: sessionId } = await other.ok('/payment-instruments/client-sessions', {
      storeId,
      origins: ['https://shop.example'],
    });
    await runEveryJob(world.right);
    expect(await api.ok(`/payments/${payment.id}`)).toMatchObject({ payment: { subStatus: 'authorized' } });
    expect(await api.ok(`/subscriptions/${trial.id}`)).toMatchObject({ status: 'trialing' });
    for (const from of [api, other])
      expect(await from.ok(`/payment-instruments/client-sessions/${sessionId}`)).toMatchObject({ status: 'open' });
  });

  test('takes keys, invitations and sessions as long as they last', async () => {
    const { right, other: differing, partner, account } = world;
    const { secret } = await partner.api.ok(`/accounts/${account.id}/api-keys`, {
      label: 'for an hour',
      expiresAt: new Date(Date.now() + hourMs).toISOString(),
    });
    expect((await clientOf(differing, secret).call('/auth/test')).status).toBe(200);
    const invite = (at: typeof right) =>
      at.idp.invite({
        email: `${at === right ? 'right' : 'other'}${mail}`,
        access: { platformRoles: ['partnerstaff'], whitelabelOwnership: partner.slug },
        redirectUrl: at.url,
      });
    for (const made of [await invite(right), await invite(differing)]) {
      const ticket = new URL(made.acceptUrl ?? '').searchParams.get('ticket') ?? '';
      for (const at of [right, differing]) expect(await at.idp.findOpenInvitation(ticket)).not.toBeNull();
    }
    for (const { url } of [differing, right]) expect(await isSignedIn(url)).toBe(true);
    // Without a session, and past one that has ended, no user is signed in; nothing is removed by this clock.
    expect(await differing.idp.verifyCookie('platform.session_token=none')).toEqual({ ok: false, reason: 'MISSING' });
    await expect(differing.idp.findPasswordReset('none')).rejects.toThrow(/The clock of this server is/);
  });

  test('grants no more calls than there are, and leaves the others theirs', async () => {
    const owner = world.account.id;
    const leave = (tokens: number) =>
      asOwner<{ at: Date }>(
        world.right,
        'UPDATE limits.buckets SET tokens = $1, at = now() WHERE owner = $2 RETURNING at',
        [tokens, owner],
      );
    const { rows: left } = await leave(1.5);
    expect((await other.call('/auth/test')).status).toBe(200);
    for (const api of [other, world.account.api, other]) {
      const { status, headers } = await api.call('/auth/test');
      if (status === 200) continue; // a token every eighth of a second
      expect([status, headers.get('Retry-After')]).toEqual([429, '1']);
    }
    const filled = await bucketSince(left[0]?.at);
    expect(filled.isOfDatabase).toBe(true);
    expect(filled.tokens).toBeLessThan(1.5 + (filled.afterS + 1) * tokensASecond);
    await leave(700);
    expect((await world.account.api.call('/auth/test')).status).toBe(200);
    // Windows are one for both, on either server.
    const attempt = (at: DifferingWorld['right']) => countAttempt(at.services, `someone ${name}`, 2, dayMs);
    await attempt(world.right);
    await attempt(world.other);
    await expect(attempt(world.right)).rejects.toThrow(/^Too many requests/);
    await expect(attempt(world.other)).rejects.toThrow(/^Too many requests/);
    const call = async (at: DifferingWorld['right']) =>
      (await countInWindow(at.services, `field ${name}`, 3, 60_000)).before.length;
    for (const [index, at] of [world.right, world.other, world.other, world.right, world.other].entries())
      expect(await call(at)).toBe(Math.min(index, 3));
  });

  test('says so where it is asked, once in the log, and runs no job until it is right', async () => {
    const { other: differing } = world;
    const ready = async () => {
      const response = await fetch(`${differing.url}/health/ready`);
      return [response.status, await response.json()];
    };
    const direction = aheadMs > 0 ? 'ahead of' : 'behind';
    const sentence = new RegExp(
      `^The clock of this server is [\\d.]+ (seconds|minutes|hours|days) ${direction} the database's\\.$`,
    );
    expect(await ready()).toEqual([
      503,
      { status: 'unavailable', cause: 'clock', message: expect.stringMatching(sentence) },
    ]);
    expect((await fetch(`${differing.url}/health/live`)).status).toBe(200);
    const metric = /^platform_clock_offset_seconds (\S+)$/m.exec(await differing.services.metrics.text())?.[1];
    expect(Math.abs(Number(metric) - aheadMs / 1000)).toBeLessThan(0.5);
    let runs = 0;
    const once = { name: 'once', everyMs: 3_600_000, run: async () => void runs++ };
    const jobs = startJobs([once], differing.services);
    try {
      const run = differing.services.jobRuns.get('once');
      await run?.runNow();
      await run?.runNow();
      expect([runs, run?.runs]).toEqual([0, 0]);
      expect(run?.lastError).toMatch(/^Not run: The clock of this server is/);
      await world.setAhead(0);
      expect(await ready()).toEqual([200, { status: 'ok' }]);
      await run?.runNow();
      expect([runs, run?.runs]).toEqual([1, 1]);
    } finally {
      await jobs.stop();
    }
    const lines = differing.logged.splice(0).filter((line) => line.includes('clock of this server'));
    expect(lines).toHaveLength(2);
    expect(lines[0]).toContain('is not ready and runs no jobs: synchronize its clock.');
    expect(lines[1]).toContain('agrees with the database again.');
  });
});

test.each([1_900, -1_900])('a server %i ms off is ready and runs its jobs', async (aheadMs) => {
  await world.setAhead(aheadMs);
  expect((await fetch(`${world.other.url}/health/ready`)).status).toBe(200);
  expect(await world.other.services.clockCheck.fault()).toBeNull();
});

test('what has ended by the database alone goes on at a server that is behind: the earlier clock decides', async () => {
  const { secret, id } = await world.partner.api.ok(`/accounts/${world.account.id}/api-keys`, {
    label: 'ended an hour ago',
    expiresAt: new Date(Date.now() + hourMs).toISOString(),
  });
  await asOwner(world.right, `UPDATE api_keys SET "expiresAt" = now() - interval '1 hour' WHERE id = $1`, [id]);
  const use = async (at: DifferingWorld['right']) => (await clientOf(at, secret).call('/auth/test')).status;
  await world.setAhead(-2 * hourMs);
  expect([await use(world.right), await use(world.other)]).toEqual([401, 200]);
  await world.setAhead(2 * hourMs);
  expect([await use(world.right), await use(world.other)]).toEqual([401, 401]);
});

test.each([
  [-2 * hourMs, true],
  [-hourMs / 2, false],
  [2 * hourMs, false],
])('a session that ended an hour ago, at a server %i ms ahead: it lives longer by the difference at most', async (aheadMs, lives) => {
  const people = peopleOf(world.right);
  const person = await people.create();
  const { cookie: ended } = await people.signIn(person);
  const signedIn = (at: DifferingWorld['right']) => isSignedIn(at.url, ended);
  expect([await signedIn(world.right), await signedIn(world.other)]).toEqual([true, true]);
  await asOwner(world.right, `UPDATE idp.session SET "expiresAt" = now() - interval '1 hour' WHERE "userId" = $1`, [
    person.id,
  ]);
  await world.setAhead(aheadMs);
  // The right server, which is asked last, removes it.
  expect([await signedIn(world.other), await signedIn(world.right)]).toEqual([lives, false]);
  await world.setAhead(-2 * hourMs);
  expect(await signedIn(world.other)).toBe(false);
});

describe('what a clock that was ahead has left behind', () => {
  test('an empty bucket fills from now on, and a window that lies ahead ends', async () => {
    const { right, account } = world;
    const { rows } = await asOwner<{ now: Date }>(
      right,
      `UPDATE limits.buckets SET tokens = 3, at = now() + interval '2 hours' WHERE owner = $1 RETURNING now() AS now`,
      [account.id],
    );
    expect((await account.api.call('/auth/test')).status).toBe(200);
    expect((await bucketSince(rows[0]?.now)).isOfDatabase).toBe(true);
    for (const subject of ['person/user_x', 'user_x'])
      await asOwner(
        right,
        `INSERT INTO limits.windows (subject, start, calls) VALUES ($1, now() + interval '2 hours', 999999)`,
        [subject],
      );
    await countCalls(right.services, { userId: 'user_x' }, 1);
    await countAttempt(right.services, 'user_x', 1);
    await asOwner(
      right,
      `INSERT INTO limits.field_calls (subject, calls) VALUES ('field', ARRAY[now() + interval '2 hours'])`,
    );
    const { at, before } = await countInWindow(right.services, 'field', 2, 60_000);
    expect(before).toEqual([at]);
    await asOwner(right, 'UPDATE limits.buckets SET tokens = 700 WHERE owner = $1', [account.id]);
  });

  test.each(['leasedUntil', 'nextAttemptAt'])('a webhook with its %s hours ahead is delivered', async (column) => {
    const { right, account } = world;
    await deliverWebhooks(right.services);
    const before = receiver.received.length;
    await account.api.ok('/customers/create', { email: `${column}@example.com` });
    await asOwner(
      right,
      `UPDATE webhook_deliveries SET "${column}" = now() + interval '2 hours' WHERE "nextAttemptAt" IS NOT NULL`,
    );
    await releaseFutureDeliveries(right.services);
    await deliverWebhooks(right.services);
    expect(receiver.received).toHaveLength(before + 1);
  });

  test('a test clock whose lease lies hours ahead is advanced', async () => {
    const { right, account } = world;
    const now = new Date();
    const { id } = await account.api.ok('/test-clocks/create', { name: 'Held', now: now.toISOString() });
    await asOwner(
      right,
      `UPDATE test_clocks SET status = 'advancing', target = now + interval '1 day', "drivenBy" = 'gone',
         "leasedUntil" = now() + interval '2 hours' WHERE id = $1`,
      [id],
    );
    await advanceTestClocks(right.services);
    expect(await account.api.ok(`/test-clocks/${id}`)).toMatchObject({ status: 'ready' });
  });

  test('a lease of this moment holds its row', async () => {
    const { right, account } = world;
    const before = receiver.received.length;
    await account.api.ok('/customers/create', { email: 'leased@example.com' });
    const lease = (ends: string) =>
      asOwner(right, `UPDATE webhook_deliveries SET "leasedUntil" = ${ends} WHERE "nextAttemptAt" IS NOT NULL`);
    await lease(`now() + interval '30 seconds'`);
    await deliverWebhooks(right.services);
    expect(receiver.received).toHaveLength(before);
    await lease('NULL');
  });
});
