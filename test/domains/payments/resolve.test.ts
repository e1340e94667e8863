import { expect, test } from 'vitest';
import { verifyLedger } from '../../../src/domains/ledger/verify-ledger.ts';
import { resolveUnknownPayments } from '../../../src/domains/payments/resolution/resolve.ts';
import { manualClock } from '../../../src/lib/clock.ts';
import { signedIn } from '../../iam/people.ts';
import { usePlatform } from '../../support/platform.ts';
import { seedPartner } from '../../support/seed.ts';
import { withLostAnswers } from '../../support/unreliable-processor.ts';

const clock = manualClock(new Date('2030-01-01T00:00:00.000Z'));
const tenMinutesMs = 600_000;

let lineIsDown = false;

const platform = await usePlatform({ clock });
const account = await (await seedPartner(platform)).account();
const hub = await signedIn(platform, { platformRoles: ['hubadmin'], whitelabelOwnership: null });
const manager = await signedIn(platform, { platformRoles: ['accountmanager'], whitelabelOwnership: null });
withLostAnswers(platform, () => (lineIsDown ? 'neverArrived' : 'answered'));

const mutation =
  'mutation ($input: ResolvePaymentInput!) { resolvePayment(input: $input) { status subStatus ' +
  'capturedAmount refundedAmount transactions { type status processorReference } } }';

async function resolve(input: object, who = hub) {
  const { data, errors } = await who.graphql(mutation, { input: { note: 'seen on the dashboard', ...input } });
  return errors ? errors[0].extensions : data.resolvePayment;
}

async function withUnknownOutcome(call: () => Promise<{ payment: Record<string, unknown> }>): Promise<string> {
  lineIsDown = true;
  try {
    return String((await call()).payment['id']);
  } finally {
    lineIsDown = false;
  }
}

const auditOf = async (target: string) =>
  platform.services.prisma.auditRow.findMany({
    where: { target, action: 'resolvePayment' },
    orderBy: { sequence: 'asc' },
  });

test('a stuck charge is resolved at once by a query; it is audited with the caller; then 409', async () => {
  const paymentId = await withUnknownOutcome(() => account.charge('tok_visa'));
  expect(await resolve({ paymentId, outcome: 'ask' })).toMatchObject({
    status: 'succeeded',
    capturedAmount: 2500,
    transactions: [{ status: 'succeeded' }],
  });
  expect(await resolve({ paymentId, outcome: 'ask' })).toMatchObject({
    code: 'CONFLICT',
    data: { reason: 'invalid_state' },
  });
  const rows = await auditOf(paymentId);
  expect(rows.map(({ actorId, outcome }) => [actorId, outcome])).toEqual([
    [hub.id, 'allowed'],
    [hub.id, 'failed'],
  ]);
  expect(rows[0]).toMatchObject({
    before: { status: 'pending', subStatus: 'processing', type: 'purchase' },
    after: { outcome: 'ask', note: 'seen on the dashboard' },
  });
});

test('a query without an answer leaves the payment unchanged, and a later job resolves it', async () => {
  const paymentId = await withUnknownOutcome(() => account.charge('tok_visa'));
  lineIsDown = true;
  expect(await resolve({ paymentId, outcome: 'ask' })).toMatchObject({
    status: 'pending',
    subStatus: 'processing',
  });
  lineIsDown = false;
  clock.advance(60_000);
  await resolveUnknownPayments(platform.services);
  expect((await account.api.ok(`/payments/${paymentId}`)).payment.status).toBe('succeeded');
});

test('by an operator: 409 for ten minutes; then the charge fails with one event, its order and audit row', async () => {
  const order = await account.api.ok('/orders/create', {
    currency: 'USD',
    items: [{ name: 'Mug', quantity: 1, unitAmount: 2500 }],
  });
  const paymentId = await withUnknownOutcome(() => account.charge('tok_visa', { orderId: order.id }));
  clock.advance(tenMinutesMs - 1);
  expect(await resolve({ paymentId, outcome: 'failed' })).toMatchObject({
    code: 'CONFLICT',
    data: { reason: 'invalid_state' },
  });
  clock.advance(1);
  expect(await resolve({ paymentId, outcome: 'failed' })).toMatchObject({
    status: 'failed',
    subStatus: 'processing_error',
    transactions: [{ status: 'failed' }],
  });
  const events = await platform.services.prisma.event.findMany({
    where: { objectId: paymentId },
    orderBy: { sequence: 'asc' },
  });
  expect(events.map(({ type }) => type)).toEqual(['payment/created', 'payment/failed']);
  expect((await account.api.ok(`/orders/${order.id}`)).status).toBe('failed');
  expect((await auditOf(paymentId)).map(({ outcome }) => outcome)).toEqual(['failed', 'allowed']);
});

test('by an operator: captures and refunds done at the processor are posted under its reference', async () => {
  const held = (await account.charge('tok_visa', { mode: 'auth' })).payment['id'];
  await withUnknownOutcome(() => account.api.ok('/payments/capture', { paymentId: held }));
  // On a fixed clock, a modification is created one millisecond after the transaction before it.
  clock.advance(tenMinutesMs + 2);
  expect(await resolve({ paymentId: held, outcome: 'approved', processorReference: 'tp_cap_seen' })).toMatchObject({
    status: 'succeeded',
    capturedAmount: 2500,
    transactions: [
      { type: 'authorization' },
      { type: 'capture', status: 'succeeded', processorReference: 'tp_cap_seen' },
    ],
  });
  await withUnknownOutcome(() => account.api.ok('/payments/refund', { paymentId: held, amount: 700 }));
  clock.advance(tenMinutesMs + 2);
  expect(await resolve({ paymentId: held, outcome: 'failed' })).toMatchObject({
    status: 'succeeded',
    refundedAmount: 0,
  });
  // The operator reported a capture that the test processor never had: reconciliation reports the difference.
  const { differences } = await verifyLedger(platform.services);
  expect(differences.filter(({ message }) => !/captured|status/.test(message))).toEqual([]);
  expect(differences.length).toBeGreaterThan(0);
});

test("only an approval needs the processor's reference: 400; unknown payment: 404; account managers: 403", async () => {
  const paymentId = await withUnknownOutcome(() => account.charge('tok_visa'));
  expect(await resolve({ paymentId, outcome: 'approved' })).toMatchObject({
    code: 'INPUT_PARSE_ERROR',
    data: { issues: [{ path: 'processorReference' }] },
  });
  expect(await resolve({ paymentId, outcome: 'ask', processorReference: 'x' })).toMatchObject({
    code: 'INPUT_PARSE_ERROR',
  });
  expect(await resolve({ paymentId: 'pay_0000000000000000', outcome: 'ask' })).toMatchObject({
    code: 'PAYMENT_NOT_FOUND',
  });
  expect(await resolve({ paymentId, outcome: 'ask' }, manager)).toMatchObject({ code: 'FORBIDDEN' });
});
