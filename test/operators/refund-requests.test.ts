import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { verifyLedger } from '../../src/domains/ledger/verify-ledger.ts';
import { failTestRefunds } from '../../src/domains/payments/resolution/notices.ts';
import { resolveUnknownPayments } from '../../src/domains/payments/resolution/resolve.ts';
import { manualClock } from '../../src/lib/clock.ts';
import { expireRequestsOf } from '../../src/operators/refund-requests/end-refund-request.ts';
import { jobWriter, write } from '../../src/unit-of-work/write.ts';
import { roleNames, type SignedIn, signedIn, signIn, signInEachRole } from '../iam/people.ts';
import { usePlatform } from '../support/platform.ts';
import { limitRefunds } from '../support/refund-limit.ts';
import { seedPartner } from '../support/seed.ts';
import { type FaultKind, withLostAnswers } from '../support/unreliable-processor.ts';

const clock = manualClock(new Date('2026-07-01T09:00:00Z'));
const limit = 500;

const who: Record<string, SignedIn> = {};
let fates: FaultKind[] = [];
/** Of each test: other people's requests are not in the way, and a name can be changed. */
let asker: SignedIn;
let other: SignedIn;

const platform = await usePlatform({ clock });
withLostAnswers(platform, () => fates.shift() ?? 'answered');
const partner = await seedPartner(platform);
const account = await partner.account();
Object.assign(who, await signInEachRole(platform, partner));
beforeEach(async () => {
  fates = [];
  [asker, other] = (await Promise.all(
    ['hubadmin', 'platformpaymentAdmin'].map((role) => signedIn(platform, { platformRoles: [role] })),
  )) as [SignedIn, SignedIn];
  await limitRefunds(platform.services, limit);
});
afterAll(async () => {
  expect((await verifyLedger(platform.services)).differences).toEqual([]);
});

const hub = ['superadmin', 'hubadmin', 'platformpaymentAdmin'];

const request = '{ id status amount isOwn requestedByEmail decidedByEmail decisionReason refundId expiresAt }';
const documents = {
  refundPayment: `mutation ($id: ID!, $reason: Name!, $amount: Amount, $cancel: Boolean = false) {
    refundPayment(input: { paymentId: $id, amount: $amount, cancelSubscription: $cancel }, reason: $reason) {
      ... on RefundedPayment { refund { id amount status } payment { status refundedAmount } }
      ... on RefundRequest ${request.replace('}', 'of: payment { status refundedAmount } }')}
    }
  }`,
  approveRefundRequest: `mutation ($id: ID!, $reason: Name!) {
    approveRefundRequest(requestId: $id, reason: $reason) {
      refund { id amount status } payment { status refundedAmount refundRequests(first: 1) ${request} }
    }
  }`,
  rejectRefundRequest: `mutation ($id: ID!, $reason: Name!) {
    rejectRefundRequest(requestId: $id, reason: $reason) ${request}
  }`,
  withdrawRefundRequest: `mutation ($id: ID!, $reason: Name!) {
    withdrawRefundRequest(requestId: $id, reason: $reason) ${request}
  }`,
  setRefundLimit: `mutation ($amount: Amount, $currency: Currency!, $partnerSlug: Slug, $reason: Name!) {
    setRefundLimit(mode: test, currency: $currency, amount: $amount, partnerSlug: $partnerSlug, reason: $reason) {
      partnerSlug currency amount nextAmount effectiveAt
    }
  }`,
};
type What = keyof typeof documents;

/** The answer of the mutation, or `status code reason` of its error. */
async function act(person: SignedIn, what: What, variables: object, key = ''): Promise<any> {
  const { data, errors } = await person.graphql(
    documents[what],
    { reason: 'asked by the cardholder', ...variables },
    key === '' ? {} : { 'Idempotency-Key': key },
  );
  if (!errors) return what === 'refundPayment' || what === 'approveRefundRequest' ? refundOf(data[what]) : data[what];
  const { code, data: details } = errors[0].extensions;
  return [code, details?.reason ?? details?.issues?.[0]?.path].filter(Boolean).join(' ');
}
/** A refund and the request that it waits for, or that was approved. */
function refundOf({ refund = null, payment, of, ...request }: any): object {
  if (refund === null) return { refund, request, payment: of };
  const { refundRequests = [null], ...refunded } = payment;
  return { refund, request: refundRequests[0], payment: refunded };
}
const refund = (person: SignedIn, id: unknown, amount: number | null, key = '') =>
  act(person, 'refundPayment', { id, amount }, key);
const approve = (person: SignedIn, id: unknown, key = '') => act(person, 'approveRefundRequest', { id }, key);
const setLimit = (amount: number | null, currency = 'USD', partnerSlug?: string) =>
  act(who['superadmin'] as SignedIn, 'setRefundLimit', { amount, currency, partnerSlug });
const buy = async () => String((await account.charge('tok_visa', { amount: 1000 })).payment['id']);
/** A payment of 10.00 and the request of a refund of all of it. */
async function requested(amount = 1000): Promise<{ paymentId: string; id: string }> {
  const paymentId = await buy();
  const { request: waiting } = await refund(asker, paymentId, amount);
  return { paymentId, id: waiting.id };
}
const refundsOf = async (paymentId: string) =>
  (await platform.services.prisma.refund.findMany({ where: { paymentId }, orderBy: { createdAt: 'asc' } })).map(
    (row) => `${row.amount} ${row.status}`,
  );
const statusOf = async (id: string) =>
  (await platform.services.prisma.refundRequest.findUniqueOrThrow({ where: { id } })).status;
/** The job asks the processor for what is unknown. */
async function resolve(): Promise<void> {
  clock.advance(60_000);
  await resolveUnknownPayments(platform.services);
}
const auditOf = (target: string) =>
  platform.services.prisma.auditRow.findMany({ where: { target }, orderBy: { sequence: 'asc' } });

test('409 invalid_state for a refund decided on an older sight: of five at once one is made, its key answers again', async () => {
  const paymentId = await buy();
  const decided = (refundedBefore: number, key: string) =>
    asker.graphql(
      `mutation { refundPayment(input: { paymentId: "${paymentId}", amount: 100 }, refundedBefore: ${refundedBefore},
        reason: "asked by the cardholder") { ... on RefundedPayment { refund { amount } } } }`,
      {},
      { 'Idempotency-Key': key },
    );
  const answers = await Promise.all(['a', 'b', 'c', 'd', 'e'].map((key) => decided(0, `${paymentId} ${key}`)));
  const refused = answers.filter(({ errors }) => errors?.[0].extensions.data.reason === 'invalid_state');
  expect(refused).toHaveLength(4);
  expect(await refundsOf(paymentId)).toEqual(['100 succeeded']);
  const made = answers.findIndex(({ errors }) => !errors);
  expect((await decided(0, `${paymentId} ${'abcde'[made]}`)).data).toEqual(answers[made]?.data);
  expect((await decided(100, `${paymentId} f`)).data.refundPayment.refund.amount).toBe(100);
  expect(await refundsOf(paymentId)).toEqual(['100 succeeded', '100 succeeded']);
});

describe('the limit', () => {
  test('one below it is refunded at once, at it waits: 200 with a request, and nothing moves', async () => {
    const below = await refund(asker, await buy(), limit - 1);
    expect(below).toMatchObject({ refund: { amount: limit - 1, status: 'succeeded' }, request: null });
    const paymentId = await buy();
    const answer = await refund(asker, paymentId, limit);
    expect(answer).toMatchObject({
      refund: null,
      request: { status: 'pending', amount: limit, isOwn: true, requestedByEmail: asker.email, refundId: null },
      payment: { status: 'succeeded', refundedAmount: 0 },
    });
    expect(await refundsOf(paymentId)).toEqual([]);
  });

  test('is that of the currency and of the mode: with one for others alone, all is refunded at once', async () => {
    await platform.services.prisma.refundLimit.deleteMany();
    await setLimit(1, 'EUR');
    await limitRefunds(platform.services, 1, { mode: 'live' });
    expect((await refund(asker, await buy(), 1000)).refund).toMatchObject({ amount: 1000 });
  });

  test('what people refunded of the payment counts; what keys refunded, and what failed, does not', async () => {
    const paymentId = await buy();
    await account.api.ok('/payments/refund', { paymentId, amount: 300 });
    fates = ['neverArrived'];
    expect((await refund(asker, paymentId, 200)).refund).toMatchObject({ status: 'pending' });
    expect(await refund(other, paymentId, 300)).toMatchObject({ refund: null, request: { amount: 300 } });
    await resolve();
    expect((await refund(other, paymentId, 299)).refund).toMatchObject({ amount: 299, status: 'succeeded' });
    expect(await refundsOf(paymentId)).toEqual(['300 succeeded', '200 succeeded', '299 succeeded']);
  });

  test('what people refunded counts no more when it has failed', async () => {
    const paymentId = String((await account.charge('4000000000005126', { amount: 1000 })).payment['id']);
    expect((await refund(asker, paymentId, 400)).refund).toMatchObject({ status: 'succeeded' });
    const alone = async () =>
      (await asker.graphql(`{ payment(paymentId: "${paymentId}") { refundableWithoutApproval } }`)).data.payment
        .refundableWithoutApproval;
    expect(await alone()).toBe(99);
    clock.advance(60_000);
    await failTestRefunds(platform.services);
    expect(await refundsOf(paymentId)).toEqual(['400 failed']);
    expect(await alone()).toBe(limit - 1);
  });

  test('two refunds at once that are below it alone: one is made, one waits', async () => {
    const paymentId = await buy();
    const answers = await Promise.all([refund(asker, paymentId, 300), refund(other, paymentId, 300)]);
    expect(answers.map(({ refund: made }) => made !== null).sort()).toEqual([false, true]);
    expect(await refundsOf(paymentId)).toEqual(['300 succeeded']);
  });

  test('does not concern API keys, captures and voids', async () => {
    const paymentId = await buy();
    await account.api.ok('/payments/refund', { paymentId, amount: 1000 });
    expect(await refundsOf(paymentId)).toEqual(['1000 succeeded']);
  });

  test('200 for superadmins alone, 403 for everybody else; 400 for 0, below, and for no currency', async () => {
    for (const name of roleNames) {
      const answer = await act(who[name] as SignedIn, 'setRefundLimit', { amount: 700, currency: 'CAD' });
      if (name === 'superadmin')
        expect(answer).toContainEqual(expect.objectContaining({ currency: 'CAD', amount: 700 }));
      else expect(answer, name).toBe('FORBIDDEN caller_lacks_role');
    }
    for (const amount of [0, -1]) expect(await setLimit(amount, 'CAD')).toBe('INPUT_PARSE_ERROR amount');
    expect(await setLimit(1, 'dollars')).toBe('INPUT_PARSE_ERROR currency');
    expect(await setLimit(1, 'CAD')).toContainEqual(expect.objectContaining({ currency: 'CAD', amount: 1 }));
    expect(await setLimit(null, 'CAD')).toContainEqual(
      expect.objectContaining({ currency: 'CAD', amount: 1, nextAmount: null }),
    );
    expect(await setLimit(1, 'CAD', 'unknown')).toBe('NOT_FOUND');
    const rows = (await auditOf('test CAD')).filter(({ outcome }) => outcome === 'allowed');
    expect(rows.map(({ before, after }) => [before, after])).toMatchObject([
      [{ amount: null }, { amount: 700 }],
      [{ amount: 700 }, { amount: 1 }],
      [{ amount: 1 }, { amount: null }],
    ]);
  });
});

describe('a raised limit', () => {
  const day = 86_400_000;
  const alone = async (person = asker) =>
    (await person.graphql(`{ payment(paymentId: "${await buy()}") { refundableWithoutApproval } }`)).data.payment
      .refundableWithoutApproval;

  test.each([
    ['a higher amount', limit + 1, limit],
    ['none', null, null],
  ])('%s takes effect after 24 hours and not before; who raises it refunds nothing alone by it', async (_name, amount, then) => {
    await setLimit(amount);
    clock.advance(day - 1);
    expect(await alone()).toBe(limit - 1);
    clock.advance(1);
    expect(await alone()).toBe(then);
  });

  test('a lower one is in force at once; raised and lowered again, the lower one', async () => {
    await setLimit(limit - 100);
    expect(await alone()).toBe(limit - 101);
    await setLimit(limit + 100);
    await setLimit(limit - 200);
    clock.advance(day);
    expect(await alone()).toBe(limit - 201);
  });

  test('of one partner: below that of all at once, above it after 24 hours; taken away, that of all after 24 hours', async () => {
    await setLimit(limit - 100, 'USD', partner.slug);
    expect(await alone()).toBe(limit - 101);
    await setLimit(limit + 100, 'USD', partner.slug);
    expect(await alone()).toBe(limit - 101);
    clock.advance(day);
    expect(await alone()).toBe(limit + 99);
    await setLimit(null, 'USD', partner.slug);
    expect(await alone()).toBe(limit - 1);
  });

  test('a limit of another partner does not concern it', async () => {
    const stranger = await seedPartner(platform);
    await setLimit(1, 'USD', stranger.slug);
    expect(await alone()).toBe(limit - 1);
  });
});

describe('people of a partner', () => {
  const sign = (roles: string[], whitelabelOwnership = partner.slug) =>
    signedIn(platform, { platformRoles: roles, whitelabelOwnership });
  const seen = async (person: SignedIn, paymentId: string) => {
    const { data } = await person.graphql(
      `{ refundRequests(mode: test, filters: { paymentId: "${paymentId}" }) { items { id reason isOwn } } }`,
    );
    return data.refundRequests.items;
  };

  test('200 for a partneradmin below the limit; at it a request, which a second partneradmin approves', async () => {
    const [first, second] = [await sign(['partneradmin']), await sign(['partneradmin'])];
    const paymentId = await buy();
    expect(await refund(first, paymentId, limit - 1)).toMatchObject({ refund: { status: 'succeeded' } });
    const { request: waiting } = await refund(first, paymentId, 1);
    expect(await seen(second, paymentId)).toMatchObject([{ id: waiting.id, isOwn: false }]);
    expect(await approve(first, waiting.id)).toBe('FORBIDDEN second_person_required');
    expect(await approve(second, waiting.id)).toMatchObject({ refund: { amount: 1, status: 'succeeded' } });
  });

  test('a hubadmin approves what a partneradmin asked for, and rejects it', async () => {
    const first = await sign(['partneradmin']);
    const { request: waiting } = await refund(first, await buy(), 1000);
    expect(await approve(asker, waiting.id)).toMatchObject({ refund: { amount: 1000 } });
    const { request: another } = await refund(first, await buy(), 1000);
    expect(await act(asker, 'rejectRefundRequest', { id: another.id })).toMatchObject({ status: 'rejected' });
  });

  test('404 for a payment and a request of another partner, as for none; 403 for an accountmanager', async () => {
    const stranger = await seedPartner(platform);
    const [first, foreign] = [await sign(['partneradmin']), await sign(['partneradmin'], stranger.slug)];
    const paymentId = await buy();
    expect(await refund(foreign, paymentId, 100)).toBe('PAYMENT_NOT_FOUND');
    const { request: waiting } = await refund(first, paymentId, 1000);
    expect(await approve(foreign, waiting.id)).toBe('NOT_FOUND');
    expect(await seen(foreign, paymentId)).toEqual([]);
    const manager = await sign(['accountmanager']);
    expect(await refund(manager, paymentId, 100)).toBe('FORBIDDEN caller_lacks_role');
    expect(await approve(manager, waiting.id)).toBe('FORBIDDEN caller_lacks_role');
    expect(await seen(manager, paymentId)).toHaveLength(1);
  });

  test('what internal staff ask for, and why, is not shown to them', async () => {
    const { paymentId } = await requested();
    expect(await seen(await sign(['partneradmin']), paymentId)).toEqual([]);
  });

  test('409 invalid_state for an approval after who asked went to another partner', async () => {
    const stranger = await seedPartner(platform);
    const [first, second] = [await sign(['partneradmin']), await sign(['partneradmin'])];
    const { request: waiting } = await refund(first, await buy(), 1000);
    await platform.services.prisma.iamUser.update({
      where: { idpUserId: first.id },
      data: { whitelabelOwnership: stranger.slug },
    });
    expect(await approve(second, waiting.id)).toBe('CONFLICT invalid_state');
  });

  test('403 for those of an offboarded partner; a suspended one refunds and voids, and captures nothing', async () => {
    const first = await sign(['partneradmin']);
    const held = async () => {
      const { payment } = await account.charge('tok_visa', { amount: 1000, mode: 'auth' });
      return String(payment['id']);
    };
    const modify = async (field: string, args: string) => {
      const { errors } = await first.graphql(`mutation { ${field}(${args}, reason: "asked") { id } }`);
      return errors?.[0].extensions.data?.reason ?? errors?.[0].extensions.code ?? 200;
    };
    const [paid, captured, voided] = [await buy(), await held(), await held()];
    const status = (to: string) =>
      platform.services.prisma.partner.update({ where: { slug: partner.slug }, data: { status: to } });
    await status('suspended');
    expect(await refund(first, paid, 100)).toMatchObject({ refund: { amount: 100 } });
    expect(await modify('capturePayment', `input: { paymentId: "${captured}" }`)).toBe('partner_not_active');
    expect(await modify('voidPayment', `paymentId: "${voided}"`)).toBe(200);
    await status('offboarded');
    expect(await refund(first, paid, 100)).toBe('FORBIDDEN partner_offboarded');
    await status('active');
  });
});

test('an approval is answered, and its refund made once, while no mail can be sent', async () => {
  const { paymentId, id } = await requested();
  const { mailer } = platform.services;
  const { send } = mailer;
  Object.assign(mailer, { send: () => Promise.reject(new Error('The mail server is away.')) });
  expect(await approve(other, id, 'without mail')).toMatchObject({ refund: { amount: 1000, status: 'succeeded' } });
  Object.assign(mailer, { send });
  expect(await refundsOf(paymentId)).toEqual(['1000 succeeded']);
});

describe('two people are independent', () => {
  test.each([
    ['setInternalUserRoles', 'the approver got a role from who asked'],
    ['resetSecondFactor', 'who asked removed the second factor of the approver'],
  ])('403 second_person_not_independent for 24 hours after %s: %s', async (action) => {
    const { paymentId, id } = await requested();
    await gaveAccess(action, asker, other.id);
    expect(await approve(other, id)).toBe('FORBIDDEN second_person_not_independent');
    expect(await statusOf(id)).toBe('pending');
    expect(await refundsOf(paymentId)).toEqual([]);
    clock.advance(86_400_000);
    expect(await approve(other, id)).toMatchObject({ refund: { amount: 1000 } });
  });

  test('403 the other way around: who asked got a role from the approver', async () => {
    const { id } = await requested();
    await gaveAccess('setStaffRoles', other, asker.id);
    expect(await approve(other, id)).toBe('FORBIDDEN second_person_not_independent');
  });

  test('403 for who was invited by who asked, and has just accepted', async () => {
    const { id } = await requested();
    const membership = await platform.services.prisma.partnerMembership.create({
      data: {
        id: `mem_${id.slice(5)}`,
        partnerId: partner.id,
        userId: other.id,
        email: other.email,
        emailLower: other.email,
        status: 'active',
        roles: ['partneradmin'],
        invitedAt: new Date(clock.now().getTime() - 5 * 86_400_000),
        joinedAt: clock.now(),
        invitedBy: asker.id,
      },
    });
    await gaveAccess('acceptInvitation', other, membership.id);
    expect(await approve(other, id)).toBe('FORBIDDEN second_person_not_independent');
  });

  test('403 second_person_required for another account with the mailbox of who asked', async () => {
    const { id } = await requested();
    await platform.services.prisma.iamUser.update({
      where: { idpUserId: other.id },
      data: { email: asker.email.replace('@', '+second@'), emailLower: asker.email.replace('@', '+second@') },
    });
    expect(await approve(other, id)).toBe('FORBIDDEN second_person_required');
  });
});

/** The audit row of a change of access. */
function gaveAccess(action: string, by: SignedIn, target: string): Promise<unknown> {
  const writer = { ...jobWriter(platform.services, 'test'), actor: { kind: 'user', id: by.id, email: by.email } };
  return write(writer, 'test', async ({ audit }) => audit({ action, target }));
}

describe('a request', () => {
  test('409 already_exists while another of the payment waits, also for two at once; 400 above what is left', async () => {
    const paymentId = await buy();
    expect(await refund(asker, paymentId, 1001)).toBe('INPUT_PARSE_ERROR amount');
    const answers = await Promise.all([refund(asker, paymentId, null), refund(other, paymentId, 600)]);
    expect(answers.filter((answer) => answer === 'CONFLICT already_exists')).toHaveLength(1);
    expect(await refund(other, paymentId, 1000)).toBe('CONFLICT already_exists');
    expect(await platform.services.prisma.refundRequest.count({ where: { paymentId } })).toBe(1);
  });

  test('an Idempotency-Key makes it once, also when the limit has changed; 409 for another body', async () => {
    const paymentId = await buy();
    const first = await refund(asker, paymentId, 1000, 'asked-once');
    expect(await refund(asker, paymentId, 1000, 'asked-once')).toEqual(first);
    expect(await refund(asker, await buy(), 1000, 'asked-once')).toBe('CONFLICT idempotency_key_reused');
    await setLimit(null);
    expect(await refund(asker, paymentId, 1000, 'asked-once')).toEqual(first);
    const another = await buy();
    const made = await refund(asker, another, 1000, 'made-once');
    await limitRefunds(platform.services, limit);
    expect(await refund(asker, another, 1000, 'made-once')).toEqual(made);
    expect(await refundsOf(paymentId)).toEqual([]);
  });

  test('is decided in 72 hours: 200 before their end, 409 at it, and the job ends it', async () => {
    const [early, late] = [await requested(), await requested()];
    clock.advance(72 * 3_600_000 - 1);
    expect((await approve(other, early.id)).refund).toMatchObject({ amount: 1000 });
    expect(await expireRequestsOf(platform.services, late.paymentId)).toBe(0);
    clock.advance(1);
    for (const what of ['approveRefundRequest', 'rejectRefundRequest'] as const)
      expect(await act(other, what, { id: late.id })).toBe('CONFLICT invalid_state');
    expect(await act(asker, 'withdrawRefundRequest', { id: late.id })).toBe('CONFLICT invalid_state');
    expect(await statusOf(late.id)).toBe('pending');
    // Another may be asked for at once, before the job has run.
    expect((await refund(asker, late.paymentId, 1000)).request).toMatchObject({ status: 'pending' });
    expect(await statusOf(late.id)).toBe('expired');
    expect(await auditOf(late.paymentId)).toContainEqual(
      expect.objectContaining({ action: 'expireRefundRequest', actorKind: 'system', mode: 'test' }),
    );
    expect(await refundsOf(late.paymentId)).toEqual([]);
  });
});

describe('a second person', () => {
  test('approves it, and the refund is made once, with both people in the audit log', async () => {
    const { paymentId, id } = await requested();
    const answer = await approve(other, id);
    expect(answer).toMatchObject({
      refund: { amount: 1000, status: 'succeeded' },
      request: { status: 'approved', decidedByEmail: other.email, isOwn: false, refundId: answer.refund.id },
      payment: { status: 'refunded', refundedAmount: 1000 },
    });
    expect(await approve(other, id)).toBe('CONFLICT invalid_state');
    expect(await refundsOf(paymentId)).toEqual(['1000 succeeded']);
    expect(await auditOf(paymentId)).toMatchObject([
      { action: 'refundPayment', actorId: asker.id, after: { requestId: id, status: 'pending', amount: 1000 } },
      { action: 'approveRefundRequest', actorId: other.id, after: { requestId: id, type: 'refund', amount: 1000 } },
      { action: 'approveRefundRequest', actorId: other.id, outcome: 'failed', reason: 'invalid_state' },
    ]);
    const { requestedBy } = await platform.services.prisma.refund.findFirstOrThrow({ where: { paymentId } });
    expect(requestedBy).toBe(asker.id);
  });

  test('rejects it with a reason: nothing is refunded, and another can be asked for', async () => {
    const { paymentId, id } = await requested();
    expect(await act(other, 'rejectRefundRequest', { id, reason: 'no proof' })).toMatchObject({
      status: 'rejected',
      decidedByEmail: other.email,
      decisionReason: 'no proof',
    });
    for (const what of ['approveRefundRequest', 'rejectRefundRequest'] as const)
      expect(await act(other, what, { id })).toBe('CONFLICT invalid_state');
    expect(await refundsOf(paymentId)).toEqual([]);
    expect((await refund(asker, paymentId, 1000)).request).toMatchObject({ status: 'pending' });
    expect((await auditOf(paymentId)).map(({ action }) => action)).toContain('rejectRefundRequest');
  });

  test('403 second_person_required for who asked, in a second session, and under a new address', async () => {
    const { paymentId, id } = await requested();
    const again = await signIn(platform, asker);
    await platform.services.prisma.iamUser.update({
      where: { idpUserId: asker.id },
      data: { email: `new-${asker.email}`, emailLower: `new-${asker.email}` },
    });
    for (const person of [asker, again])
      for (const what of ['approveRefundRequest', 'rejectRefundRequest'] as const)
        expect(await act(person, what, { id })).toBe('FORBIDDEN second_person_required');
    expect(await statusOf(id)).toBe('pending');
    expect(await refundsOf(paymentId)).toEqual([]);
    expect(await auditOf(paymentId)).toContainEqual(
      expect.objectContaining({ action: 'approveRefundRequest', outcome: 'denied', reason: 'second_person_required' }),
    );
    expect((await act(again, 'withdrawRefundRequest', { id })).status).toBe('withdrawn');
  });

  test('403 second_person_required for a new account with the address of who asked', async () => {
    const { id } = await requested();
    await platform.services.prisma.iamUser.update({
      where: { idpUserId: asker.id },
      data: { email: 'gone@example.com', emailLower: 'gone@example.com' },
    });
    await platform.services.prisma.iamUser.update({
      where: { idpUserId: other.id },
      data: { email: asker.email.toUpperCase(), emailLower: asker.email },
    });
    expect(await approve(other, id)).toBe('FORBIDDEN second_person_required');
  });

  test('200 for who asked and withdraws it, 403 not_the_requester for others', async () => {
    const { paymentId, id } = await requested();
    expect(await act(other, 'withdrawRefundRequest', { id })).toBe('FORBIDDEN not_the_requester');
    expect(await act(asker, 'withdrawRefundRequest', { id })).toMatchObject({ status: 'withdrawn', isOwn: true });
    expect(await approve(other, id)).toBe('CONFLICT invalid_state');
    expect(await refundsOf(paymentId)).toEqual([]);
  });

  test('is superadmin or hubadmin, under both its names; 404 for partneradmin, as for none; 403 for every other role', async () => {
    for (const name of roleNames)
      for (const what of ['approveRefundRequest', 'rejectRefundRequest'] as const) {
        const { id } = await requested();
        const answer = await act(who[name] as SignedIn, what, { id });
        if (hub.includes(name)) expect(answer, name).toBeTypeOf('object');
        else if (name === 'partneradmin') expect(answer).toBe('NOT_FOUND');
        else expect(answer, name).toBe('FORBIDDEN caller_lacks_role');
      }
  });

  test('404 for none, 400 without a reason, and both leave it as it is', async () => {
    const { id } = await requested();
    expect(await approve(other, 'rreq_0000000000000000')).toBe('NOT_FOUND');
    expect(await act(other, 'approveRefundRequest', { id, reason: ' ' })).toBe('INPUT_PARSE_ERROR reason');
    expect(await statusOf(id)).toBe('pending');
  });

  test('an Idempotency-Key of an approval makes it once; 409 for the same key with another request', async () => {
    const { paymentId, id } = await requested();
    const another = await requested();
    const first = await approve(other, id, 'approve-once');
    expect(await approve(other, id, 'approve-once')).toEqual(first);
    expect(await approve(other, another.id, 'approve-once')).toBe('CONFLICT idempotency_key_reused');
    expect(await statusOf(another.id)).toBe('pending');
    expect(await refundsOf(paymentId)).toEqual(['1000 succeeded']);
  });
});

describe('meanwhile', () => {
  test('of two approvals, and of an approval and a rejection, at once, one is made: the other is 409', async () => {
    for (const [first, second] of [
      ['approveRefundRequest', 'approveRefundRequest'],
      ['approveRefundRequest', 'rejectRefundRequest'],
      ['rejectRefundRequest', 'approveRefundRequest'],
    ] as const) {
      const { paymentId, id } = await requested();
      const answers = await Promise.all([
        act(other, first, { id }),
        act(who['superadmin'] as SignedIn, second, { id }),
        act(who['hubadmin'] as SignedIn, first, { id }),
      ]);
      expect(answers.filter((answer) => answer === 'CONFLICT invalid_state')).toHaveLength(2);
      const status = await statusOf(id);
      expect(await refundsOf(paymentId)).toEqual(status === 'approved' ? ['1000 succeeded'] : []);
      expect(['approved', 'rejected']).toContain(status);
    }
  });

  test('the payment was refunded, in part or whole, or disputed: 409, and the request stays', async () => {
    for (const [change, expected] of [
      ['refund 1000', 'CONFLICT invalid_state'],
      ['refund 100', 'CONFLICT invalid_state'],
      ['dispute', 'CONFLICT invalid_state'],
    ] as const) {
      const { paymentId, id } = await requested();
      if (change === 'dispute') await account.api.ok('/test-disputes/create', { paymentId });
      else await account.api.ok('/payments/refund', { paymentId, amount: Number(change.slice(7)) });
      const before = await refundsOf(paymentId);
      expect(await approve(other, id), change).toBe(expected);
      expect(await statusOf(id)).toBe('pending');
      expect(await refundsOf(paymentId)).toEqual(before);
      expect((await act(other, 'rejectRefundRequest', { id })).status).toBe('rejected');
    }
  });

  test('who asked may not refund any more: 409, and it can be rejected', async () => {
    for (const data of [{ platformRoles: [] }, { banned: true }, { deletedAt: clock.now() }]) {
      const { id } = await requested();
      const before = await platform.services.prisma.iamUser.findUniqueOrThrow({ where: { idpUserId: asker.id } });
      await platform.services.prisma.iamUser.update({ where: { idpUserId: asker.id }, data });
      expect(await approve(other, id)).toBe('CONFLICT invalid_state');
      expect((await act(other, 'rejectRefundRequest', { id })).status).toBe('rejected');
      const { platformRoles, banned, deletedAt } = before;
      await platform.services.prisma.iamUser.update({
        where: { idpUserId: asker.id },
        data: { platformRoles, banned, deletedAt },
      });
    }
  });

  test('the answer of the processor is lost: the request is approved, and the refund is made once', async () => {
    for (const fate of ['answerLost', 'neverArrived'] as const) {
      const { paymentId, id } = await requested();
      fates = [fate];
      expect(await approve(other, id, `lost-${fate}`)).toMatchObject({
        refund: { status: 'pending' },
        request: { status: 'approved' },
      });
      expect(await approve(who['superadmin'] as SignedIn, id)).toBe('CONFLICT invalid_state');
      await resolve();
      expect(await refundsOf(paymentId)).toEqual(['1000 succeeded']);
    }
  });
});

test('is listed by status, account and payment, for internal staff, of both modes', async () => {
  const { paymentId, id } = await requested();
  const list = async (filters: string, person = other, mode = 'test') => {
    const { data, errors } = await person.graphql(
      `{ refundRequests(mode: ${mode}, filters: {${filters}}) { total items { id payment { id } account { id } } } }`,
    );
    return errors ? errors[0].extensions.code : data.refundRequests;
  };
  const own = { total: 1, items: [{ id, payment: { id: paymentId }, account: { id: account.id } }] };
  expect(await list(`paymentId: "${paymentId}", status: [pending], platformAccountId: "${account.id}"`)).toEqual(own);
  expect((await list(`paymentId: "${paymentId}", status: [approved, rejected]`)).total).toBe(0);
  expect((await list(`paymentId: "${paymentId}"`, other, 'live')).total).toBe(0);
  expect((await list(`paymentId: "${paymentId}"`, who['accountmanager'])).total).toBe(1);
  // What internal staff ask for is theirs.
  expect((await list(`paymentId: "${paymentId}"`, who['partneradmin'])).total).toBe(0);
  const ofPayment = `{ payment(paymentId: "${paymentId}") { refundableWithoutApproval refundRequests { id isOwn } } }`;
  expect((await asker.graphql(ofPayment)).data.payment).toEqual({
    refundableWithoutApproval: limit - 1,
    refundRequests: [{ id, isOwn: true }],
  });
  expect((await (who['accountmanager'] as SignedIn).graphql(ofPayment)).data.payment).toEqual({
    refundableWithoutApproval: null,
    refundRequests: [{ id, isOwn: false }],
  });
});
