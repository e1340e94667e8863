import { describe, expect, test } from 'vitest';
import { usePlatform } from '../support/platform.ts';
import { seedPartner } from '../support/seed.ts';
import { priceOf } from '../support/subscriptions.ts';
import { type SignedIn, signedIn, signInEachRole } from './people.ts';

const who: Record<string, SignedIn> = {};

const platform = await usePlatform();
const partner = await seedPartner(platform);
const account = await partner.account();
const liveAccount = (await (await seedPartner(platform, 'live', partner.id)).account()).id;
const elsewhere = await seedPartner(platform);
Object.assign(who, await signInEachRole(platform, partner), {
  elsewhere: await signedIn(platform, { platformRoles: ['partneradmin'], whitelabelOwnership: elsewhere.slug }),
});

const start = '2026-01-31T10:00:00.000Z';
const documents = {
  createTestClock: `mutation ($id: ID!, $now: DateTime!) {
    createTestClock(platformAccountId: $id, input: { name: "renewals", now: $now }) {
      id name now status platformAccountId livemode stepsDone
    }
  }`,
  advanceTestClock: `mutation ($id: ID!, $to: DateTime!) {
    advanceTestClock(testClockId: $id, to: $to) { id now status target stepsDone }
  }`,
  updateProcessor: `mutation ($id: ID!, $options: JSONObject!) {
    updateProcessor(processorId: $id, input: { options: $options }) { id options platformAccountId }
  }`,
  testClock: `query ($id: ID!) { testClock(testClockId: $id) { id subscriptions { id } } }`,
};
type What = keyof typeof documents;

/** The answer, or `status code reason` of its error. */
async function act(name: string, what: What, variables: Record<string, unknown>, key = ''): Promise<any> {
  const headers: Record<string, string> = key === '' ? {} : { 'Idempotency-Key': key };
  const { data, errors } = await (who[name] as SignedIn).graphql(documents[what], variables, headers);
  if (!errors) return data[what];
  const { code, data: details } = errors[0].extensions;
  return [code, details?.reason ?? details?.issues?.[0]?.path].filter(Boolean).join(' ');
}
const create = (name = 'partneradmin', id = account.id, now = start, key = '') =>
  act(name, 'createTestClock', { id, now }, key);
const advance = (name: string, id: string, to: string, key = '') => act(name, 'advanceTestClock', { id, to }, key);
const processorOf = async (of = account): Promise<string> => (await of.api.ok('/processors/list', {})).items[0].id;
const switchTo = (name: string, id: string, options: object) => act(name, 'updateProcessor', { id, options });
const auditOf = (target: string) =>
  platform.services.prisma.auditRow.findMany({ where: { target }, orderBy: { sequence: 'asc' } });

/** What each kind of person may: null if they may, or the refusal. */
const rights: Record<string, string | null> = {
  superadmin: null,
  hubadmin: null,
  partneradmin: null,
  elsewhere: 'NOT_FOUND',
  accountmanager: 'FORBIDDEN caller_lacks_role',
  partnerManager: 'FORBIDDEN caller_lacks_role',
  partnerstaff: 'FORBIDDEN caller_lacks_role',
  merchant: 'FORBIDDEN caller_lacks_role',
};

describe('a test clock', () => {
  test.each(Object.entries(rights))('%s creates and advances one: %s', async (name, refusal) => {
    const clock = await create(name);
    const { id } = await create('superadmin');
    const advanced = await advance(name, id, '2026-02-01T00:00:00.000Z');
    if (refusal !== null) {
      expect([clock, advanced]).toEqual([refusal, refusal]);
      expect((await act('superadmin', 'testClock', { id })).id).toBe(id);
      const { now } = await platform.services.prisma.testClock.findUniqueOrThrow({ where: { id } });
      expect(now.toISOString()).toBe(start);
      return;
    }
    expect(clock).toMatchObject({ name: 'renewals', now: start, status: 'ready', platformAccountId: account.id });
    expect(advanced).toMatchObject({ now: '2026-02-01T00:00:00.000Z', status: 'ready', target: null });
    expect(await auditOf(id)).toMatchObject([
      { action: 'createTestClock', actorId: who['superadmin']?.id, mode: 'test' },
      { action: 'advanceTestClock', actorId: who[name]?.id, after: { target: '2026-02-01T00:00:00.000Z' } },
    ]);
    // It is the same clock that the keys of the account see.
    expect(await account.api.ok(`/test-clocks/${id}`)).toMatchObject({ now: '2026-02-01T00:00:00.000Z' });
  });

  test('charges the renewals of its subscriptions, which it lists', async () => {
    const { id } = await create();
    const customer = await account.api.ok('/customers/create', { email: 'r@example.com', testClockId: id });
    const { token } = await account.api.ok('/payment-instruments/tokenize', {
      cardNumber: '4242424242424242',
      expMonth: 12,
      expYear: 2039,
      cvc: '123',
    });
    const { paymentInstrument } = await account.api.ok('/payment-instruments/create-from-token', {
      token,
      customerData: { email: 'r@example.com' },
    });
    const subscription = await account.api.ok('/subscriptions/create', {
      customerId: customer.id,
      paymentInstrumentId: paymentInstrument.id,
      priceId: await priceOf(account),
    });
    const { stepsDone } = await advance('partneradmin', id, '2026-04-01T10:00:00.000Z');
    expect(stepsDone).toBeGreaterThanOrEqual(2);
    const payments = await platform.services.prisma.payment.findMany({ where: { subscriptionId: subscription.id } });
    expect(payments).toHaveLength(3);
    expect((await act('partnerManager', 'testClock', { id })).subscriptions).toEqual([{ id: subscription.id }]);
    expect(await act('elsewhere', 'testClock', { id })).toBe('NOT_FOUND');
  });

  test('400 in an account of live mode, out of its span, back, and too far; 404 for none; nothing changes', async () => {
    const { id } = await create();
    expect(await create('superadmin', liveAccount)).toBe('INPUT_PARSE_ERROR platformAccountId');
    expect(await create('superadmin', 'tpa_0000000000000000')).toBe('NOT_FOUND');
    for (const [now, answer] of [
      ['1999-12-31T23:59:59.999Z', 'INPUT_PARSE_ERROR now'],
      ['2100-01-01T00:00:00.001Z', 'INPUT_PARSE_ERROR now'],
    ] as const)
      expect(await create('superadmin', account.id, now)).toBe(answer);
    expect((await create('superadmin', account.id, '2100-01-01T00:00:00.000Z')).status).toBe('ready');
    const dayMs = 86_400_000;
    const after = (ms: number) => new Date(new Date(start).getTime() + ms).toISOString();
    for (const ms of [-1, 731 * dayMs + 1])
      expect(await advance('hubadmin', id, after(ms))).toBe('INPUT_PARSE_ERROR to');
    expect(await advance('hubadmin', 'clock_0000000000000000', start)).toBe('NOT_FOUND');
    expect((await advance('hubadmin', id, after(731 * dayMs))).status).toBe('ready');
    expect((await auditOf(id)).map(({ action }) => action)).toEqual(['createTestClock', 'advanceTestClock']);
  });

  test('an Idempotency-Key makes and advances it once; 409 while it is advancing', async () => {
    const first = await create('hubadmin', account.id, start, 'clock-once');
    expect(await create('hubadmin', account.id, start, 'clock-once')).toEqual(first);
    const to = '2026-03-01T00:00:00.000Z';
    const advanced = await advance('hubadmin', first.id, to, 'advance-once');
    expect(await advance('hubadmin', first.id, to, 'advance-once')).toEqual(advanced);
    expect((await auditOf(first.id)).filter(({ action }) => action === 'advanceTestClock')).toHaveLength(1);
    await platform.services.pool.query(
      `UPDATE test_clocks SET status = 'advancing', target = now, "drivenBy" = 'other', "leasedUntil" = 'infinity' WHERE id = $1`,
      [first.id],
    );
    expect(await advance('hubadmin', first.id, to)).toBe('CONFLICT invalid_state');
  });

  test('is listed by account and status: of every partner for internal staff, of their own for others', async () => {
    const other = await partner.account();
    const { id } = await create('partneradmin', other.id);
    const list = async (name: string, args = '') => {
      const { data, errors } = await (who[name] as SignedIn).graphql(
        `{ testClocks(mode: test, filters: {platformAccountId: "${other.id}" ${args}}) { total items { id account { id } } } }`,
      );
      return errors ? errors[0].extensions.code : data.testClocks;
    };
    const one = { total: 1, items: [{ id, account: { id: other.id } }] };
    for (const name of ['hubadmin', 'accountmanager', 'partneradmin', 'partnerManager'])
      expect(await list(name, ', status: [ready]'), name).toEqual(one);
    expect((await list('hubadmin', ', status: [advancing]')).total).toBe(0);
    expect((await list('elsewhere')).total).toBe(0);
    expect(await list('partnerstaff')).toBe('FORBIDDEN');
  });
});

describe('the switches of a test processor', () => {
  test.each(Object.entries(rights))('%s sets them: %s', async (name, refusal) => {
    const own = await partner.account();
    const id = await processorOf(own);
    const answer = await switchTo(name, id, { declineRate: 1, declineCode: 'insufficient_funds' });
    const { payment } = await own.charge();
    if (refusal !== null) {
      expect(answer).toBe(refusal);
      expect(payment['status']).toBe('succeeded');
      return;
    }
    expect(answer).toMatchObject({ options: { declineRate: 1, declineCode: 'insufficient_funds' } });
    expect(payment).toMatchObject({ status: 'declined', failureCode: 'insufficient_funds' });
    expect((await switchTo(name, id, { declineRate: null })).options).toEqual({ declineCode: 'insufficient_funds' });
    expect((await own.charge()).payment['status']).toBe('succeeded');
    expect((await auditOf(id)).filter(({ actorKind }) => actorKind === 'user')).toMatchObject([
      { action: 'updateProcessor', actorId: who[name]?.id, mode: 'test', after: { options: { declineRate: 1 } } },
      { action: 'updateProcessor', actorId: who[name]?.id },
    ]);
  });

  test('400 for bad values on both sides of their bounds, an unknown one, another type and live mode', async () => {
    const id = await processorOf();
    for (const [options, answer] of [
      [{ declineRate: -0.01 }, 'INPUT_PARSE_ERROR options.declineRate'],
      [{ declineRate: 1.01 }, 'INPUT_PARSE_ERROR options.declineRate'],
      [{ latencyMs: 30_001 }, 'INPUT_PARSE_ERROR options.latencyMs'],
      [{ down: 'yes' }, 'INPUT_PARSE_ERROR options.down'],
      [{ secretKey: 'sk_test_x' }, 'INPUT_PARSE_ERROR options.secretKey'],
    ] as const)
      expect(await switchTo('hubadmin', id, options)).toBe(answer);
    expect((await switchTo('hubadmin', id, { declineRate: 0, latencyMs: 0 })).options).toEqual({
      declineRate: 0,
      latencyMs: 0,
    });
    const { id: stripe } = await account.api.ok('/processors/create', { name: 'Stripe', type: 'stripe' });
    expect(await switchTo('superadmin', stripe, { secretKey: 'sk_test_x' })).toBe('INPUT_PARSE_ERROR processorId');
    const { prisma } = platform.services;
    const live = await prisma.processor.create({
      data: {
        ...(await prisma.processor.findUniqueOrThrow({ where: { id: stripe } })),
        id: 'proc_live0000000000000',
        platformAccountId: liveAccount,
        mode: 'live',
        options: {},
        secrets: {},
      },
    });
    expect(await switchTo('superadmin', live.id, { down: true })).toBe('INPUT_PARSE_ERROR processorId');
    expect(await switchTo('hubadmin', 'proc_0000000000000000', { down: true })).toBe('NOT_FOUND');
    expect((await prisma.processor.findUniqueOrThrow({ where: { id: stripe } })).secrets).toEqual({});
  });

  test('processors are listed by account and type without secrets, of their own partner for its people', async () => {
    const own = await partner.account();
    const id = await processorOf(own);
    const list = async (name: string, filters: string) => {
      const { data, errors } = await (who[name] as SignedIn).graphql(
        `{ processors(mode: test, filters: {${filters}}) { total items { id type options secretOptions account { id } } } }`,
      );
      return errors ? errors[0].extensions.code : data.processors;
    };
    const one = { total: 1, items: [{ id, type: 'test', options: {}, secretOptions: [], account: { id: own.id } }] };
    expect(await list('accountmanager', `platformAccountId: "${own.id}", type: [test], enabled: true`)).toEqual(one);
    expect(await list('partnerManager', `id: "${id}"`)).toEqual(one);
    expect((await list('elsewhere', `id: "${id}"`)).total).toBe(0);
    expect((await list('hubadmin', `platformAccountId: "${own.id}", type: [stripe]`)).total).toBe(0);
    expect(await list('partnerstaff', '')).toBe('FORBIDDEN');
  });
});
