import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { verifyLedger } from '../../src/domains/ledger/verify-ledger.ts';
import { resolveUnknownPayments } from '../../src/domains/payments/resolution/resolve.ts';
import { manualClock } from '../../src/lib/clock.ts';
import { roleNames, type SignedIn, signInEachRole } from '../iam/people.ts';
import { usePlatform } from '../support/platform.ts';
import { type SeededAccount, seedPartner } from '../support/seed.ts';
import { priceOf } from '../support/subscriptions.ts';
import { type FaultKind, withLostAnswers } from '../support/unreliable-processor.ts';

const clock = manualClock(new Date('2026-07-01T09:00:00Z'));

let account: SeededAccount;
const who: Record<string, SignedIn> = {};
/** The faults of the next calls to the processor; none unless a test sets them. */
let fates: FaultKind[] = [];

const platform = await usePlatform({ clock });
withLostAnswers(platform, () => fates.shift() ?? 'answered');
const partner = await seedPartner(platform);
Object.assign(who, await signInEachRole(platform, partner));
beforeEach(async () => {
  account = await partner.account();
});
afterAll(async () => {
  expect((await verifyLedger(platform.services)).differences).toEqual([]);
});

const documents = {
  refund: `mutation ($id: ID!, $reason: Name, $amount: Amount, $cancel: Boolean = false) {
    refundPayment(input: { paymentId: $id, amount: $amount, cancelSubscription: $cancel }, reason: $reason) {
      ... on RefundedPayment { refund { id amount status } payment { status refundedAmount } }
    }
  }`,
  void: `mutation ($id: ID!, $reason: Name) {
    voidPayment(paymentId: $id, reason: $reason) { status subStatus }
  }`,
  capture: `mutation ($id: ID!, $reason: Name, $amount: Amount) {
    capturePayment(input: { paymentId: $id, amount: $amount }, reason: $reason) { status capturedAmount }
  }`,
  cancel: `mutation ($id: ID!, $reason: Name) {
    cancelSubscription(input: { subscriptionId: $id }, reason: $reason) {
      ... on CustomerSubscription { status cancellationReason }
    }
  }`,
  pause: `mutation ($id: ID!, $reason: Name, $resumeAt: DateTime) {
    pauseSubscription(input: { subscriptionId: $id, resumeAt: $resumeAt }, reason: $reason) { status }
  }`,
  resume: `mutation ($id: ID!, $reason: Name) {
    resumeSubscription(subscriptionId: $id, reason: $reason) { status }
  }`,
};
type What = keyof typeof documents;
const actions: Record<What, string> = {
  refund: 'refundPayment',
  void: 'voidPayment',
  capture: 'capturePayment',
  cancel: 'cancelSubscription',
  pause: 'pauseSubscription',
  resume: 'resumeSubscription',
};

/** The answer of the mutation, or `status code reason` of its error. */
async function act(what: What, id: unknown, more: object = {}, { name = 'hubadmin', key = '' } = {}): Promise<any> {
  const { data, errors } = await (who[name] as SignedIn).graphql(
    documents[what],
    { id, reason: 'asked by the cardholder', ...more },
    key === '' ? {} : { 'Idempotency-Key': key },
  );
  if (!errors) return data[actions[what]];
  const { code, data: details } = errors[0].extensions;
  return [code, details?.reason ?? details?.issues?.[0]?.path].filter(Boolean).join(' ');
}

const hold = async () => (await account.charge('tok_visa', { mode: 'auth', amount: 1000 })).payment['id'];
const buy = async (on = account) => (await on.charge('tok_visa', { amount: 1000 })).payment['id'];
async function subscribe(): Promise<string> {
  const { customerId } = await account.instrument();
  return (await account.api.ok('/subscriptions/create', { customerId, priceId: await priceOf(account) })).id;
}
async function pausedOne(): Promise<string> {
  const subscriptionId = await subscribe();
  await account.api.ok('/subscriptions/pause', { subscriptionId });
  return subscriptionId;
}
const isOfSubscription = (what: What) => what === 'cancel' || what === 'pause' || what === 'resume';
const targets: Record<What, () => Promise<unknown>> = {
  refund: () => buy(),
  void: hold,
  capture: hold,
  cancel: subscribe,
  pause: subscribe,
  resume: pausedOne,
};
const targetOf = (what: What) => targets[what]();
const auditOf = (target: unknown) =>
  platform.services.prisma.auditRow.findMany({ where: { target: String(target) }, orderBy: { sequence: 'asc' } });
const eventsOf = async (objectId: unknown) =>
  (
    await platform.services.prisma.event.findMany({
      where: { objectId: String(objectId) },
      orderBy: { sequence: 'asc' },
    })
  ).map(({ type }) => type);
const setStatus = (table: 'partners' | 'processing_accounts', status: string, id: string) =>
  platform.services.pool.query(`UPDATE ${table} SET status = $1 WHERE id = $2`, [status, id]);

/** What admins of a partner do to its payments, too. They pause no subscription. */
const isOfAdmins = (what: string): boolean => !['pause', 'resume'].includes(what);

describe.each(['refund', 'void', 'capture', 'cancel', 'pause', 'resume'] as const)('%s by an operator', (what) => {
  const may = ['superadmin', 'hubadmin', 'platformpaymentAdmin', ...(isOfAdmins(what) ? ['partneradmin'] : [])];

  test(`${may.join(', ')} may; every other role is 403 and changes nothing`, async () => {
    for (const name of roleNames) {
      const id = await targetOf(what);
      const events = await eventsOf(id);
      const answer = await act(what, id, {}, { name });
      if (may.includes(name)) expect(answer, name).toBeTypeOf('object');
      else {
        expect(answer, name).toBe('FORBIDDEN caller_lacks_role');
        expect(await eventsOf(id)).toEqual(events);
      }
    }
  });

  test('404 for none; 409 invalid_state the second time; 400 without a reason, a blank or a long one', async () => {
    const id = await targetOf(what);
    expect(await act(what, `${isOfSubscription(what) ? 'sub' : 'pay'}_0000000000000000000000`)).toBe(
      isOfSubscription(what) ? 'NOT_FOUND' : 'PAYMENT_NOT_FOUND',
    );
    for (const reason of [undefined, null, '', '  ', 'x'.repeat(201)])
      expect(await act(what, id, { reason }), String(reason)).toBe('INPUT_PARSE_ERROR reason');
    expect(await act(what, id, { reason: 'x'.repeat(200) })).toBeTypeOf('object');
    const events = await eventsOf(id);
    expect(await act(what, id)).toBe('CONFLICT invalid_state');
    expect(await eventsOf(id)).toEqual(events);
  });

  test('the audit row names the person, the reason, before and after; a refusal has one, too', async () => {
    const id = await targetOf(what);
    await act(what, id);
    await act(what, id);
    expect(await auditOf(id)).toMatchObject([
      {
        action: actions[what],
        actorKind: 'user',
        actorId: who['hubadmin']?.id,
        actorEmail: who['hubadmin']?.email,
        outcome: 'allowed',
        before: { status: expect.any(String) },
        after: { status: expect.any(String), reason: 'asked by the cardholder' },
      },
      { action: actions[what], outcome: 'failed', reason: 'invalid_state' },
    ]);
  });

  test('an Idempotency-Key makes it once, belongs to the person, and 409 for another request', async () => {
    const [id, other] = [await targetOf(what), await targetOf(what)];
    const first = await act(what, id, {}, { key: `once-${what}` });
    expect(await act(what, id, {}, { key: `once-${what}` })).toEqual(first);
    expect(await act(what, other, {}, { key: `once-${what}` })).toBe('CONFLICT idempotency_key_reused');
    expect(await act(what, other, {}, { key: `once-${what}`, name: 'superadmin' })).toBeTypeOf('object');
    expect((await auditOf(id)).filter(({ outcome }) => outcome === 'allowed')).toHaveLength(1);
  });

  test.each([
    ['suspended', 'active'],
    ['offboarded', 'active'],
    ['active', 'suspended'],
    ['active', 'closed'],
    ['offboarded', 'closed'],
  ])('with a partner that is %s and an account that is %s: done and reported, but for a capture', async (ofPartner, ofAccount) => {
    const own = await seedPartner(platform);
    account = await own.account();
    const id = await targetOf(what);
    await setStatus('processing_accounts', ofAccount, account.id);
    await setStatus('partners', ofPartner, own.id);
    const answer = await act(what, id);
    if (what === 'capture')
      expect(answer).toBe(`FORBIDDEN ${ofPartner === 'active' ? 'account_not_active' : 'partner_not_active'}`);
    else
      expect((await eventsOf(id)).at(-1)).toBe(
        {
          refund: 'payment/refunded',
          void: 'payment/voided',
          cancel: 'subscription/canceled',
          pause: 'subscription/paused',
          resume: 'subscription/resumed',
        }[what],
      );
  });
});

describe('money', () => {
  test('a part, then the rest; 400 above it; the subscription of the payment is canceled if asked', async () => {
    const subscriptionId = await subscribe();
    const payment = await platform.services.prisma.payment.findFirstOrThrow({ where: { subscriptionId } });
    expect((await act('refund', payment.id, { amount: 400 })).payment).toEqual({
      status: 'partially_refunded',
      refundedAmount: 400,
    });
    expect(await act('refund', payment.id, { amount: 601 })).toBe('INPUT_PARSE_ERROR amount');
    expect((await act('refund', payment.id, { cancel: true })).payment.status).toBe('refunded');
    expect((await account.api.ok(`/subscriptions/${subscriptionId}`)).status).toBe('canceled');
    expect(await act('capture', await hold(), { amount: 1001 })).toBe('INPUT_PARSE_ERROR amount');
  });

  test("operators' and keys' refunds at once never exceed what was captured", async () => {
    const id = await buy();
    const byKey = async () =>
      (await account.api.call('/payments/refund', { paymentId: id, amount: 300 })).status === 200;
    const byOperator = async () => typeof (await act('refund', id, { amount: 300 })) === 'object';
    const made = await Promise.all(Array.from({ length: 12 }, (_, index) => (index % 2 ? byKey() : byOperator())));
    expect(made.filter(Boolean)).toHaveLength(3);
    expect((await account.api.ok(`/payments/${id}`)).payment.refundedAmount).toBe(900);
  });

  test('a void and a capture at once: one of them', async () => {
    const id = await hold();
    const [voided, captured] = await Promise.all([
      act('void', id),
      account.api.call('/payments/capture', { paymentId: id }),
    ]);
    expect([typeof voided === 'object', captured.status === 200].filter(Boolean)).toHaveLength(1);
  });

  test('a refund whose answer is lost is audited once, and resolved by the job', async () => {
    const id = await buy();
    fates = ['answerLost'];
    expect((await act('refund', id)).refund.status).toBe('pending');
    clock.advance(60_000);
    await resolveUnknownPayments(platform.services);
    expect((await account.api.ok(`/payments/${id}`)).payment.status).toBe('refunded');
    expect(await auditOf(id)).toMatchObject([{ outcome: 'allowed', after: { type: 'refund', amount: 1000 } }]);
  });

  test('the refund and its event belong to the account and the mode of the payment', async () => {
    const id = await buy();
    await act('refund', id);
    const owner = { partnerId: partner.id, platformAccountId: account.id, mode: 'test' };
    const { prisma } = platform.services;
    expect(await prisma.refund.findFirstOrThrow({ where: { paymentId: String(id) } })).toMatchObject(owner);
    const where = { objectId: String(id), type: 'payment/refunded' };
    expect(await prisma.event.findFirstOrThrow({ where })).toMatchObject(owner);
  });
});

test('a subscription is paused until a time; one in the past is 400', async () => {
  const id = await subscribe();
  const resumeAt = new Date(clock.now().getTime() + 86_400_000).toISOString();
  expect(await act('pause', id, { resumeAt: clock.now().toISOString() })).toBe('INPUT_PARSE_ERROR resumeAt');
  expect(await act('pause', id, { resumeAt })).toEqual({ status: 'paused' });
  expect(await account.api.ok(`/subscriptions/${id}`)).toMatchObject({ status: 'paused', resumeAt });
  expect((await auditOf(id)).at(-1)?.after).toMatchObject({ status: 'paused', resumeAt });
});

describe('a sub-key', () => {
  const revoke = async (keyId: unknown, { name = 'hubadmin', reason = 'leaked' } = {}): Promise<any> => {
    const { data, errors } = await (who[name] as SignedIn).graphql(
      `mutation ($keyId: ID!, $reason: Name!) {
        revokeApiKey(keyId: $keyId, reason: $reason) { id status revokedAt platformAccountId lastUsedAt }
      }`,
      { keyId, reason },
    );
    return errors ? errors[0].extensions.code : data.revokeApiKey;
  };
  const keysOf = async () => (await partner.api.ok(`/accounts/${account.id}/api-keys/list`, {})).items;

  test('is revoked with a reason: its next call is 401; a repeat is the same; the partner keeps its own', async () => {
    await account.api.ok('/auth/test');
    const [{ id }] = await keysOf();
    const answer = await revoke(id);
    expect(answer).toMatchObject({ id, status: 'revoked', platformAccountId: account.id });
    expect(answer.lastUsedAt).not.toBeNull();
    expect((await account.api.call('/auth/test')).status).toBe(401);
    expect(await revoke(id)).toEqual(answer);
    expect((await auditOf(id)).filter(({ action }) => action === 'revokeApiKey')).toMatchObject([
      { actorId: who['hubadmin']?.id, mode: 'test', before: { status: 'active' }, after: { reason: 'leaked' } },
      { before: { status: 'revoked' }, after: { status: 'revoked' } },
    ]);
  });

  test('403 for readers and staff, 404 for a partner key, for none and for another partner, 400 without a reason', async () => {
    const [{ id }] = await keysOf();
    for (const name of ['accountmanager', 'partnerManager', 'partnerstaff', 'merchant'])
      expect(await revoke(id, { name }), name).toBe('FORBIDDEN');
    const partnerKey = await platform.services.prisma.apiKey.findFirstOrThrow({
      where: { kind: 'partner', partnerId: partner.id },
    });
    for (const other of [partnerKey.id, 'ak_none']) expect(await revoke(other)).toBe('NOT_FOUND');
    expect(await revoke(id, { reason: ' ' })).toBe('INPUT_PARSE_ERROR');
    await account.api.ok('/auth/test');
    await partner.api.ok('/auth/test');
  });
});
