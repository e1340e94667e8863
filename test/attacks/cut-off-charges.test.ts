import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { checkoutToken } from '../../src/domains/funnels/sessions/rows.ts';
import { verifyLedger } from '../../src/domains/ledger/verify-ledger.ts';
import { expireAuthorizations, expireChallenges } from '../../src/domains/payments/resolution/expire.ts';
import { resolveUnknownPayments } from '../../src/domains/payments/resolution/resolve.ts';
import { manualClock } from '../../src/lib/clock.ts';
import type { CardProcessor } from '../../src/ports/card-processor.ts';
import { addFunnel } from '../domains/funnels/example-funnel.ts';
import { lockTable, untilWaiting } from '../support/lock-waits.ts';
import { usePlatform } from '../support/platform.ts';
import { type SeededAccount, type SeededPartner, seedPartner } from '../support/seed.ts';
import { postJson } from '../support/status-worlds.ts';
import { type FaultKind, withLostAnswers } from '../support/unreliable-processor.ts';

const clock = manualClock(new Date('2026-06-01T09:00:00Z'));
const minuteMs = 60_000;

let partner: SeededPartner;
let account: SeededAccount;
/** The faults of the next calls; none unless a test sets them. */
let fates: FaultKind[] = [];

const platform = await usePlatform({ clock });
const requested: ReturnType<typeof withLostAnswers> = withLostAnswers(platform, () => fates.shift() ?? 'answered');
afterAll(async () => {
  expect((await verifyLedger(platform.services)).differences).toEqual([]);
});
beforeEach(async () => {
  fates = [];
  partner = await seedPartner(platform);
  account = await partner.account();
});

/** The ways to cut an account off from charging, each with the reason of the refusal. */
const cuts = [
  { what: 'the partner is suspended', reason: 'partner_not_active', status: 'suspended', of: 'partner' },
  { what: 'the partner is offboarded', reason: 'partner_not_active', status: 'offboarded', of: 'partner' },
  { what: 'the account is suspended', reason: 'account_not_active', status: 'suspended', of: 'account' },
  { what: 'the account is closed', reason: 'account_not_active', status: 'closed', of: 'account' },
] as const;
type Cut = Pick<(typeof cuts)[number], 'status' | 'of'>;

/** One of each: `status-matrix` has every status. */
const oneOfEach = [cuts[1], cuts[2]];

const suspended: Cut = { status: 'suspended', of: 'partner' };

function cut({ status, of }: { status: string; of: Cut['of'] }): Promise<unknown> {
  return platform.services.pool.query(
    of === 'partner'
      ? 'UPDATE partners SET status = $1 WHERE id = $2'
      : 'UPDATE processing_accounts SET status = $1 WHERE id = $2',
    [status, of === 'partner' ? partner.id : account.id],
  );
}
const restore = async () => {
  await cut({ status: 'active', of: 'partner' });
  await cut({ status: 'active', of: 'account' });
};
const paymentOf = (id: unknown) =>
  platform.services.prisma.payment.findUniqueOrThrow({
    where: { id: String(id) },
    include: { transactions: { orderBy: { createdAt: 'asc' } } },
  });
const resolveAfter = async (ms: number) => {
  clock.advance(ms);
  await resolveUnknownPayments(platform.services);
};

/** Runs `change` when the next authorization reaches the processor, before it is made. */
function atNextAuthorization(change: () => Promise<unknown>): void {
  // a Map at run time; only the server must not change it
  const processors = platform.services.processors as Map<string, CardProcessor>;
  const real = processors.get('test');
  if (!real) throw new Error('There is no test processor.');
  processors.set('test', {
    ...real,
    async authorize(authorization) {
      processors.set('test', real);
      await change();
      return real.authorize(authorization);
    },
  });
}

describe('a charge and a status that changes meanwhile', () => {
  test.each(cuts)('403 $reason, no payment and a free Idempotency-Key: before its intent $what', async (how) => {
    const { id: processorId } = await account.api.ok('/processors/create', { name: 'Cards', type: 'test' });
    const { id: paymentFlowId } = await account.api.ok('/payment-flows/create', {
      name: 'One',
      strategy: 'cascade',
      processors: [{ processorId }],
    });
    const { id: paymentInstrumentId } = await account.instrument();
    const pay = () =>
      account.api.call(
        '/payments/process',
        { paymentInstrumentId, amount: 500, currency: 'USD', paymentFlowId },
        { headers: { 'Idempotency-Key': 'once' } },
      );
    // The facts are read; the charge waits for its route, and its intent is not committed.
    const unlock = await lockTable(platform, 'payment_flow_routes');
    const paying = pay();
    await untilWaiting(platform);
    await cut(how);
    await unlock();
    const refused = await paying;
    expect([refused.status, refused.body.data]).toEqual([403, { reason: how.reason }]);
    expect(await platform.services.prisma.payment.count({ where: { platformAccountId: account.id } })).toBe(0);
    await restore();
    expect((await pay()).body.payment.status).toBe('succeeded');
  });

  test.each(oneOfEach)('200 and recorded as any other when, after its intent, $what', async (how) => {
    const { id: paymentInstrumentId } = await account.instrument();
    atNextAuthorization(() => cut(how));
    const { payment } = await account.api.ok('/payments/process', {
      paymentInstrumentId,
      amount: 500,
      currency: 'USD',
    });
    expect(payment).toMatchObject({ status: 'succeeded', capturedAmount: 500 });
  });

  test('200 and recorded as any other when, after its intent, its key is revoked; the next call is 401', async () => {
    const { id: paymentInstrumentId } = await account.instrument();
    const { keyId } = await account.api.ok('/auth/test');
    atNextAuthorization(() => partner.api.ok(`/api-keys/${keyId}/revoke`, {}));
    const { payment } = await account.api.ok('/payments/process', {
      paymentInstrumentId,
      amount: 500,
      currency: 'USD',
    });
    expect(payment).toMatchObject({ status: 'succeeded', capturedAmount: 500 });
    expect((await account.api.call('/auth/test')).status).toBe(401);
  });

  test.each(oneOfEach)('no other processor is tried once $what', async (how) => {
    const ids: string[] = [];
    for (const name of ['First', 'Second'])
      ids.push((await account.api.ok('/processors/create', { name, type: 'test' })).id);
    const [first, second] = ids;
    const { id: paymentFlowId } = await account.api.ok('/payment-flows/create', {
      name: 'Cascade',
      strategy: 'cascade',
      processors: [{ processorId: first }],
      fallbacks: [{ processorId: second, order: 0 }],
    });
    const { id: paymentInstrumentId } = await account.instrument('4000000000009995');
    atNextAuthorization(() => cut(how));
    const { payment, transactions } = await account.api.ok('/payments/process', {
      paymentInstrumentId,
      amount: 500,
      currency: 'USD',
      paymentFlowId,
    });
    expect(payment).toMatchObject({ status: 'declined', failureCode: 'insufficient_funds' });
    expect(transactions).toMatchObject([{ processorId: first }]);
  });

  test.each(
    oneOfEach,
  )('a charge that the processor has not seen is not sent by the job once $what; it fails after ten minutes', async (how) => {
    fates = ['neverArrived'];
    const { payment } = await account.charge();
    expect(payment['subStatus']).toBe('processing');
    await cut(how);
    const sent = requested.authorize;
    await resolveAfter(10 * minuteMs - 1);
    expect(await paymentOf(payment['id'])).toMatchObject({ status: 'pending', subStatus: 'processing' });
    await resolveAfter(minuteMs);
    expect(await paymentOf(payment['id'])).toMatchObject({ status: 'failed', subStatus: 'processing_error' });
    expect(requested.authorize).toBe(sent);
  });

  test('an approved charge whose answer was lost is recorded while the partner is suspended', async () => {
    fates = ['answerLost'];
    const { payment } = await account.charge();
    await cut(suspended);
    await resolveAfter(minuteMs);
    expect(await paymentOf(payment['id'])).toMatchObject({ status: 'succeeded', capturedAmount: 2500n });
  });
});

describe('a hold', () => {
  const hold = async () => (await account.charge('tok_visa', { mode: 'auth' })).payment;

  test.each(oneOfEach)('a capture that the processor has not seen is not sent by the job once $what', async (how) => {
    const { id } = await hold();
    fates = ['neverArrived'];
    expect((await account.api.ok('/payments/capture', { paymentId: id })).payment.subStatus).toBe('processing');
    await cut(how);
    const sent = requested.capture;
    await resolveAfter(10 * minuteMs - 1);
    expect(await paymentOf(id)).toMatchObject({ subStatus: 'processing' });
    await resolveAfter(minuteMs);
    expect(await paymentOf(id)).toMatchObject({ status: 'pending', subStatus: 'authorized', capturedAmount: 0n });
    expect(requested.capture).toBe(sent);
    clock.advance(8 * 24 * 60 * minuteMs);
    await expireAuthorizations(platform.services);
    expect(await paymentOf(id)).toMatchObject({ status: 'failed', subStatus: 'expired' });
  });

  test('a void and a refund that the processor has not seen are sent while the partner is suspended', async () => {
    const { id: held } = await hold();
    const { id: bought } = (await account.charge()).payment;
    await cut(suspended);
    fates = ['neverArrived', 'neverArrived'];
    await account.api.ok('/payments/void', { paymentId: held });
    await account.api.ok('/payments/refund', { paymentId: bought });
    await resolveAfter(minuteMs);
    expect(await paymentOf(held)).toMatchObject({ status: 'failed', subStatus: 'voided' });
    expect(await paymentOf(bought)).toMatchObject({ status: 'refunded' });
  });
});

test('403 on a checkout page before a card is stored, once the account is suspended', async () => {
  const { id: funnelId } = await addFunnel(account);
  const { id } = await account.api.ok('/funnel-sessions', { funnelId });
  const url = `${platform.url}/checkout/sessions/${checkoutToken(platform.services.config, id)}`;
  expect((await postJson(`${url}/next`, { stepId: 'landing' })).status).toBe(200);
  await cut({ status: 'suspended', of: 'account' });
  const paid = await postJson(`${url}/pay`, {
    stepId: 'checkout',
    attemptId: 'attempt-1',
    email: 'visitor@example.com',
    cardNumber: '4242424242424242',
    expMonth: 12,
    expYear: 2039,
    cvc: '123',
  });
  expect([paid.status, (await paid.json()).data]).toEqual([403, { reason: 'account_not_active' }]);
  expect(await platform.services.prisma.customer.count({ where: { platformAccountId: account.id } })).toBe(0);
});

describe('a challenge', () => {
  const challenge = async () => (await account.charge('tok_visa_3ds')).payment;
  const post = (url: string) => postJson(url, { outcome: 'success' });
  const urlOf = ({ requireActionData }: Record<string, unknown>) => (requireActionData as { url: string }).url;

  test('403 on its page and to continue once the partner is suspended; the job ends it and takes no money', async () => {
    const [open, answered] = [await challenge(), await challenge()];
    await post(urlOf(answered));
    await cut(suspended);
    const refused = await post(urlOf(open));
    expect([refused.status, (await refused.json()).data]).toEqual([403, { reason: 'partner_not_active' }]);
    const page = await (await fetch(urlOf(open))).text();
    expect(page).not.toContain('<form');
    for (const { id } of [open, answered])
      expect((await account.api.call('/payments/continue', { paymentId: id })).status).toBe(403);
    await expireChallenges(platform.services);
    for (const { id } of [open, answered])
      expect(await paymentOf(id)).toMatchObject({ subStatus: 'authentication_expired', capturedAmount: 0n });
  });

  test('a continuation that the processor has not seen is declined by the job while the partner is suspended', async () => {
    const answered = await challenge();
    await post(urlOf(answered));
    // The call that continues has died after its commit.
    await platform.services.pool.query(`UPDATE payments SET "subStatus" = 'processing' WHERE id = $1`, [
      answered['id'],
    ]);
    await platform.services.pool.query(`UPDATE transactions SET status = 'processing' WHERE "paymentId" = $1`, [
      answered['id'],
    ]);
    await cut(suspended);
    await resolveAfter(minuteMs);
    expect(await paymentOf(answered['id'])).toMatchObject({
      status: 'declined',
      failureCode: 'authentication_failed',
      capturedAmount: 0n,
    });
  });
});
