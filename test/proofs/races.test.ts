import { afterAll, expect, test } from 'vitest';
import { expireChallenges } from '../../src/domains/payments/resolution/expire.ts';
import { manualClock } from '../../src/lib/clock.ts';
import { type Answer, clientOf } from '../support/client.ts';
import { expectEventsToBeWhole, expectLedgersToAgree, unresolvedCount } from '../support/ledger.ts';
import { startTestPlatform, usePlatform } from '../support/platform.ts';
import { type SeededAccount, seedPartner } from '../support/seed.ts';

const platform = await usePlatform();
const partner = await seedPartner(platform);
const account = await partner.account();
afterAll(async () => {
  await expectLedgersToAgree(platform.services.pool);
  await expectEventsToBeWhole(platform.services.pool);
  expect(await unresolvedCount(platform.services.pool)).toBe(0);
});

const atOnce = 20;

function times<Result>(call: (index: number) => Promise<Result>): Promise<Result[]> {
  return Promise.all(Array.from({ length: atOnce }, (_, index) => call(index)));
}

function statusesOf(answers: readonly Answer[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

function eventsOf(objectId: string): Promise<string[]> {
  return platform.services.prisma.event
    .findMany({ where: { objectId }, orderBy: { sequence: 'asc' } })
    .then((events) => events.map(({ type }) => type));
}

/** A payment whose challenge was answered, ready to be continued. */
async function challenged(
  on: SeededAccount = account,
  outcome: 'success' | 'fail' | null = 'success',
  card = '4000002760003184',
): Promise<{ id: string; url: string; expiresAt: Date }> {
  const { payment } = await on.charge(card);
  const { url, expiresAt } = payment['requireActionData'] as { url: string; expiresAt: string };
  if (outcome) await answer(url, outcome);
  return { id: payment['id'] as string, url, expiresAt: new Date(expiresAt) };
}

async function answer(url: string, outcome: 'success' | 'fail'): Promise<number> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ outcome }),
  });
  await response.text();
  return response.status;
}

test('one payment and one answer when the same key charges twenty times at once', async () => {
  const { id: paymentInstrumentId } = await account.instrument();
  const body = { paymentInstrumentId, amount: 700, currency: 'USD' };
  const answers = await times(() =>
    account.api.call('/payments/process', body, { headers: { 'Idempotency-Key': 'twenty-charges' } }),
  );
  const good = answers.filter(({ status }) => status === 200);
  for (const other of answers.filter(({ status }) => status !== 200))
    expect(other.body.data.reason).toBe('idempotency_key_in_use');
  expect(new Set(good.map(({ body }) => JSON.stringify(body))).size).toBe(1);
  expect(good.filter(({ headers }) => headers.get('idempotent-replayed') === null)).toHaveLength(1);
  expect(await platform.services.prisma.payment.count({ where: { paymentInstrumentId } })).toBe(1);
});

test('one payment, and 409 for the rest, when one key is sent with twenty bodies at once', async () => {
  const { id: paymentInstrumentId } = await account.instrument();
  const answers = await times((index) =>
    account.api.call(
      '/payments/process',
      { paymentInstrumentId, amount: 800 + index, currency: 'USD' },
      { headers: { 'Idempotency-Key': 'twenty-bodies' } },
    ),
  );
  expect(statusesOf(answers)).toEqual({ 200: 1, 409: atOnce - 1 });
  for (const { body } of answers.filter(({ status }) => status === 409))
    expect(body.data.reason).toBe('idempotency_key_reused');
  expect(await platform.services.prisma.payment.count({ where: { paymentInstrumentId } })).toBe(1);
});

test('one posting and one event when twenty calls continue a payment at once', async () => {
  const { id } = await challenged();
  const answers = await times(() => account.api.call('/payments/continue', { paymentId: id }));
  expect(statusesOf(answers)).toEqual({ 200: atOnce });
  expect((await account.api.ok(`/payments/${id}`)).payment.status).toBe('succeeded');
  expect(await eventsOf(id)).toEqual(['payment/created', 'payment/actionRequired', 'payment/succeeded']);
});

test('one answer for all when twenty calls continue a payment at once under one key', async () => {
  const { id } = await challenged();
  const answers = await times(() =>
    account.api.call('/payments/continue', { paymentId: id }, { headers: { 'Idempotency-Key': `continue-${id}` } }),
  );
  const good = answers.filter(({ status }) => status === 200);
  for (const other of answers.filter(({ status }) => status !== 200))
    expect(other.body.data.reason).toBe('idempotency_key_in_use');
  expect(new Set(good.map(({ body }) => JSON.stringify(body))).size).toBe(1);
  expect(good[0]?.body.payment.status).toBe('succeeded');
  expect(await eventsOf(id)).toEqual(['payment/created', 'payment/actionRequired', 'payment/succeeded']);
});

test('one of two payments changes when one key continues both at once, and 409 for the other', async () => {
  const payments = await Promise.all([challenged(), challenged()]);
  const answers = await times((index) =>
    account.api.call(
      '/payments/continue',
      { paymentId: payments[index % 2]?.id },
      { headers: { 'Idempotency-Key': 'continue-either' } },
    ),
  );
  expect(
    answers.filter(({ status, body }) => status === 409 && body.data.reason === 'idempotency_key_reused').length,
  ).toBeGreaterThanOrEqual(atOnce / 2);
  const after = await Promise.all(payments.map(({ id }) => account.api.ok(`/payments/${id}`)));
  expect(after.map(({ payment }) => payment.status).sort()).toEqual(['pending', 'succeeded']);
});

test('one outcome wins when a challenge is completed and failed at once, and the payment follows it', async () => {
  const { id, url } = await challenged(account, null);
  const outcomes = await times((index) => answer(url, index % 2 === 0 ? 'success' : 'fail'));
  expect(outcomes.filter((status) => status === 200)).toHaveLength(atOnce / 2);
  expect(outcomes.filter((status) => status === 409)).toHaveLength(atOnce / 2);
  const { status } = await platform.services.prisma.threeDsSession.findFirstOrThrow({ where: { paymentId: id } });
  const { payment } = await account.api.ok('/payments/continue', { paymentId: id });
  expect(payment.status).toBe(status === 'succeeded' ? 'succeeded' : 'declined');
});

test('one instrument, and 409 for the rest, when a token is used twenty times at once', async () => {
  const { token } = await account.api.ok('/payment-instruments/tokenize', {
    cardNumber: '4242424242424242',
    expMonth: 12,
    expYear: 2035,
    cvc: '123',
  });
  const answers = await times((index) =>
    account.api.call('/payment-instruments/create-from-token', {
      token,
      customerData: { email: `token-${index}@example.com` },
    }),
  );
  expect(statusesOf(answers)).toEqual({ 200: 1, 409: atOnce - 1 });
  // A rejected call leaves no customer behind.
  expect(await platform.services.prisma.customer.count({ where: { emailLower: { startsWith: 'token-' } } })).toBe(1);
});

test('one account when twenty calls create it with one externalRef at once', async () => {
  const before = await platform.services.prisma.organization.count();
  const answers = await times(() => partner.api.call('/accounts', { legalName: 'Only One', externalRef: 'only-one' }));
  expect(statusesOf(answers)).toEqual({ 200: atOnce });
  expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
  expect(await platform.services.prisma.organization.count()).toBe(before + 1);
});

test('one customer when twenty calls create it with one email address at once, however it is written', async () => {
  const answers = await times((index) =>
    account.api.call('/customers/create', { email: index % 2 === 0 ? 'same@example.com' : 'SAME@Example.com' }),
  );
  expect(statusesOf(answers)).toEqual({ 200: atOnce });
  expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
});

test('one secret when twenty calls mint a key under one Idempotency-Key at once', async () => {
  const answers = await times(() =>
    partner.api.call(
      `/accounts/${account.id}/api-keys`,
      { label: 'once' },
      { headers: { 'Idempotency-Key': 'mint-once' } },
    ),
  );
  const good = answers.filter(({ status }) => status === 200);
  for (const other of answers.filter(({ status }) => status !== 200))
    expect(other.body.data.reason).toBe('idempotency_key_in_use');
  expect(good.filter(({ body }) => body.secret !== null)).toHaveLength(1);
  expect(new Set(good.map(({ body }) => body.id)).size).toBe(1);
});

test('one default, and an active one, when instruments are made, made the default and deleted at once', async () => {
  const { id: customerId } = await account.api.ok('/customers/create', { email: 'defaults@example.com' });
  const made = await times(() =>
    account.api.ok('/payment-instruments/create-from-token', { token: 'tok_visa', customerId }),
  );
  const ids = made.map(({ paymentInstrument }) => paymentInstrument.id as string);
  const [doomed, ...kept] = ids;
  const answers = await times((index) =>
    index === 10
      ? account.api.call(`/payment-instruments/${doomed}`, undefined, { method: 'DELETE' })
      : account.api.call(`/payment-instruments/${ids[index]}/set-default`, {}),
  );
  for (const { status, body } of answers) if (status !== 200) expect(body.data.reason).toBe('invalid_state');
  const rows = await platform.services.prisma.paymentInstrument.findMany({ where: { customerId, isDefault: true } });
  expect(rows.length).toBeLessThanOrEqual(1);
  for (const row of rows) expect(kept).toContain(row.id);
});

test('401 for every call that starts after a revoke was answered, and nothing but 200 and 401 around it', async () => {
  const { id, secret } = await partner.api.ok(`/accounts/${account.id}/api-keys`, { label: 'revoked under way' });
  const api = clientOf(platform, secret);
  const seen: { status: number; startedAfter: boolean }[] = [];
  let revoked = false;
  const callers = times(async () => {
    for (let call = 0; call < 6; call++) {
      const startedAfter = revoked;
      seen.push({ startedAfter, status: (await api.call('/auth/test')).status });
    }
  });
  await partner.api.ok(`/api-keys/${id}/revoke`, {});
  revoked = true;
  await callers;
  expect((await api.call('/auth/test')).status).toBe(401);
  expect(seen.filter(({ startedAfter, status }) => startedAfter && status !== 401)).toEqual([]);
  expect(seen.filter(({ status }) => ![200, 401].includes(status))).toEqual([]);
});

test('one end when calls continue a payment and the job ends it as its challenge expires', async () => {
  const clock = manualClock(new Date());
  const other = await startTestPlatform({ clock, databaseUrl: platform.databaseUrl });
  try {
    const atOther: SeededAccount = { ...account, api: clientOf(other, account.subKey) };
    const [expired, inTime] = await Promise.all([challenged(), challenged()]);
    clock.set(expired.expiresAt);
    const both = await Promise.all([
      ...Array.from({ length: 5 }, () => atOther.api.call('/payments/continue', { paymentId: expired.id })),
      expireChallenges(other.services),
    ]);
    expect(both.slice(0, 5).map((answer) => (answer as Answer).body.payment.subStatus)).toEqual(
      Array(5).fill('authentication_expired'),
    );
    expect(await eventsOf(expired.id)).toEqual(['payment/created', 'payment/actionRequired', 'payment/failed']);

    // A server whose clock is slightly behind the worker's: the first one decides, and the outcome is recorded once.
    await platform.services.prisma.payment.updateMany({
      where: { id: inTime.id, subStatus: 'requires_action' },
      data: { actionExpiresAt: expired.expiresAt },
    });
    await Promise.all([
      account.api.call('/payments/continue', { paymentId: inTime.id }),
      atOther.api.call('/payments/continue', { paymentId: inTime.id }),
      expireChallenges(other.services),
    ]);
    const events = await eventsOf(inTime.id);
    expect(events).toHaveLength(3);
    expect(['payment/succeeded', 'payment/failed']).toContain(events[2]);
  } finally {
    await other.close();
  }
});
