import { beforeEach, describe, expect, test } from 'vitest';
import { manualClock } from '../../src/lib/clock.ts';
import type { Mail } from '../../src/ports/mailer.ts';
import { type SignedIn, signedIn } from '../iam/people.ts';
import { usePlatform } from '../support/platform.ts';
import { limitRefunds } from '../support/refund-limit.ts';
import { seedPartner } from '../support/seed.ts';

const clock = manualClock(new Date('2026-07-01T09:00:00Z'));
const limit = 500;
const hourMs = 3_600_000;

const platform = await usePlatform({ clock });
let mails: Mail[] = [];
Object.assign(platform.services.mailer, { send: async (mail: Mail) => void mails.push(mail) });
const partner = await seedPartner(platform);
const account = await partner.account();
const [asker, other] = [await ofHub('hubadmin'), await ofHub('hubadmin')];
await limitRefunds(platform.services, limit);
beforeEach(() => {
  mails = [];
});

function ofHub(role: string): Promise<SignedIn> {
  return signedIn(platform, { platformRoles: [role] });
}

/** The answer of a mutation, or the reason of its refusal. */
async function act(person: SignedIn, field: string, args: string, fields: string): Promise<any> {
  const { data, errors } = await person.graphql(`mutation { ${field}(${args}, reason: "asked for") { ${fields} } }`);
  return errors ? errors[0].extensions.data.reason : data[field];
}
const request = (paymentId: unknown, amount = limit) =>
  act(
    asker,
    'refundPayment',
    `input: { paymentId: "${paymentId}", amount: ${amount} }`,
    '... on RefundRequest { id status expiresAt }',
  );
const approve = (id: string) => act(other, 'approveRefundRequest', `requestId: "${id}"`, 'refund { amount }');

describe('at and above the limit', () => {
  test.each([
    limit,
    limit + 1,
  ])('a person captures and voids an authorization of %i alone; no request is made', async (amount) => {
    const [captured, voided] = [
      (await account.charge('tok_visa', { amount, mode: 'auth' })).payment['id'],
      (await account.charge('tok_visa', { amount, mode: 'auth' })).payment['id'],
    ];
    expect(await act(asker, 'capturePayment', `input: { paymentId: "${captured}" }`, 'status capturedAmount')).toEqual({
      status: 'succeeded',
      capturedAmount: amount,
    });
    expect(await act(asker, 'voidPayment', `paymentId: "${voided}"`, 'subStatus')).toEqual({ subStatus: 'voided' });
    const paymentId = { in: [String(captured), String(voided)] };
    expect(await platform.services.prisma.refundRequest.count({ where: { paymentId } })).toBe(0);
    expect(await request(captured, amount)).toMatchObject({ status: 'pending' });
  });
});

test('the admins of the partner and the superadmins are notified by mail of a refund when it is approved, and no other user', async () => {
  const boss = await ofHub('superadmin');
  const [admin] = [
    await signedIn(platform, { platformRoles: ['partneradmin'], whitelabelOwnership: partner.slug }),
    await signedIn(platform, { platformRoles: ['accountmanager'], whitelabelOwnership: partner.slug }),
    await signedIn(platform, {
      platformRoles: ['partneradmin'],
      whitelabelOwnership: (await seedPartner(platform)).slug,
    }),
  ];
  const { id } = await request((await account.charge('tok_visa', { amount: 1000 })).payment['id'], 1000);
  expect(mails).toEqual([]);
  expect(await approve(id)).toEqual({ refund: { amount: 1000 } });
  expect(mails.map(({ to }) => to).sort()).toEqual([admin.email, boss.email].sort());
  expect(mails[0]?.text).toContain('10.00');
});

test('a request about a payment on a test clock expires 72 hours of the platform after it was made: 200 before their end, 409 at it', async () => {
  const { id: testClockId } = await account.api.ok('/test-clocks/create', {
    name: 'Later',
    now: '2031-01-01T00:00:00.000Z',
  });
  const { id: customerId } = await account.api.ok('/customers/create', { email: 'later@example.com', testClockId });
  const { id: paymentInstrumentId } = await account.instrument('tok_visa', customerId);
  const requested = async () => {
    const sale = { storeId: account.storeId, paymentInstrumentId, amount: limit, currency: 'USD' };
    const { payment } = await account.api.ok('/payments/process', sale);
    expect(payment.createdAt).toMatch(/^2031-/);
    return request(payment.id);
  };
  const [early, late] = [await requested(), await requested()];
  expect(early.expiresAt).toBe('2026-07-04T09:00:00.000Z');
  clock.advance(72 * hourMs - 1);
  expect(await approve(early.id)).toEqual({ refund: { amount: limit } });
  clock.advance(1);
  expect(await approve(late.id)).toBe('invalid_state');
});
