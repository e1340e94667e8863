import { afterAll, describe, expect, test } from 'vitest';
import { deliverTestDisputes } from '../../../src/domains/disputes/domain.ts';
import { verifyLedger } from '../../../src/domains/ledger/verify-ledger.ts';
import { resolveUnknownPayments } from '../../../src/domains/payments/resolution/resolve.ts';
import { manualClock } from '../../../src/lib/clock.ts';
import type { TestProcessor } from '../../../src/ports/test-processor.ts';
import { asOwner } from '../../support/database.ts';
import { expectDisputeEventsToBeWhole, postingSums } from '../../support/ledger.ts';
import { usePlatform } from '../../support/platform.ts';
import { seedPartner } from '../../support/seed.ts';

const clock = manualClock(new Date('2026-03-01T12:00:00.000Z'));
const rounds = Number(process.env['FAULTS_ROUNDS'] ?? 15);

const platform = await usePlatform({ clock });
const partner = await seedPartner(platform);
const account = await partner.account();
afterAll(async () => {
  expect((await verifyLedger(platform.services)).differences).toEqual([]);
  await expectDisputeEventsToBeWhole(platform.services.pool);
});

const purchase = async (amount = 1000) => String((await account.charge('tok_visa', { amount })).payment['id']);
const open = (body: object, headers = {}) => account.api.call('/test-disputes/create', body, { headers });
const advance = (id: string, status: string, headers = {}) =>
  account.api.call(`/test-disputes/${id}/advance`, { status }, { headers });
const eventsOf = async (objectId: string) =>
  (await platform.services.prisma.event.findMany({ where: { objectId }, orderBy: { sequence: 'asc' } })).map(
    ({ sequence, type }) => `${sequence} ${type}`,
  );
const postingsOf = (paymentId: string) => postingSums(platform.services.pool, paymentId);

describe('POST /test-disputes/create', () => {
  test('200: the amount leaves the merchant balance, in the ledger and in an event', async () => {
    const paymentId = await purchase();
    const { status, body } = await open({ paymentId, amount: 400, reason: 'product_not_received' });
    expect(status).toBe(200);
    expect(body).toEqual({
      id: expect.stringMatching(/^dp_[0-9A-Za-z]{22}$/),
      paymentId,
      storeId: account.storeId,
      platformAccountId: account.id,
      processorId: expect.stringMatching(/^proc_/),
      processorReference: expect.stringMatching(/^tp_du_/),
      amount: 400,
      currency: 'USD',
      status: 'needs_response',
      reason: 'product_not_received',
      evidenceDueAt: '2026-03-08T12:00:00.000Z',
      closedAt: null,
      livemode: false,
      createdAt: clock.now().toISOString(),
      updatedAt: clock.now().toISOString(),
    });
    expect(await eventsOf(body.id)).toEqual(['1 dispute/created']);
    expect(await postingsOf(paymentId)).toEqual(['disputes 400', 'merchant_balance -1000', 'processor_receivable 600']);
    expect(await account.api.ok(`/disputes/${body.id}`)).toEqual(body);
    const { items } = await account.api.ok('/events/list', { filters: { objectId: body.id } });
    expect(items[0].data.object).toEqual(body);
  });

  test('409 when nothing is left or captured, 404 for an unknown payment', async () => {
    const paymentId = await purchase();
    await open({ paymentId, amount: 600 });
    expect((await open({ paymentId })).body).toMatchObject({ amount: 400, reason: 'fraudulent' });
    const held = String((await account.charge('tok_visa', { mode: 'auth' })).payment['id']);
    const declined = String((await account.charge('tok_visa_declined')).payment['id']);
    for (const id of [paymentId, held, declined])
      expect(await open({ paymentId: id })).toMatchObject({ status: 409, body: { data: { reason: 'invalid_state' } } });
    expect(await open({ paymentId: 'pay_none' })).toMatchObject({ status: 404, body: { code: 'PAYMENT_NOT_FOUND' } });
    expect(await open({ paymentId, reason: 'because' })).toMatchObject({
      status: 400,
      body: { data: { issues: [{ path: 'reason' }] } },
    });
    expect((await advance('dp_none', 'won')).status).toBe(404);
  });

  test('200 above the rest, also of a refunded payment: the excess is a loss, and refunds stop', async () => {
    const paymentId = await purchase();
    await account.api.ok('/payments/refund', { paymentId, amount: 1000 });
    expect((await open({ paymentId })).status).toBe(409);
    const { body } = await open({ paymentId, amount: 700 });
    expect(body).toMatchObject({ amount: 700, status: 'needs_response' });
    expect(await postingsOf(paymentId)).toContain('dispute_losses 700');
    expect((await account.api.call('/payments/refund', { paymentId, amount: 1 })).status).toBe(409);
    const above = await purchase();
    expect((await open({ paymentId: above, amount: 1001 })).body).toMatchObject({ amount: 1001 });
    expect(await postingsOf(above)).toContain('dispute_losses 1');
  });

  test('the same Idempotency-Key opens one dispute, at once and again', async () => {
    const paymentId = await purchase();
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => open({ paymentId, amount: 100 }, { 'Idempotency-Key': `dispute-${paymentId}` })),
    );
    expect(new Set(answers.filter(({ status }) => status === 200).map(({ body }) => JSON.stringify(body))).size).toBe(
      1,
    );
    const again = await open({ paymentId, amount: 100 }, { 'Idempotency-Key': `dispute-${paymentId}` });
    expect([again.status, again.headers.get('Idempotent-Replayed')]).toEqual([200, 'true']);
    expect((await account.api.ok('/disputes/list', { filters: { paymentId } })).total).toBe(1);
  });

  test('403 with a live key', async () => {
    const live = await (await seedPartner(platform, 'live', partner.id)).account();
    for (const [path, body] of [
      ['create', { paymentId: 'pay_1' }],
      ['dp_1/advance', { status: 'won' }],
    ] as const) {
      expect(await live.api.call(`/test-disputes/${path}`, body)).toMatchObject({
        status: 403,
        body: { data: { reason: 'forbidden_scope' } },
      });
    }
  });
});

describe('POST /test-disputes/:disputeId/advance', () => {
  test('won: the amount returns and can be refunded', async () => {
    const paymentId = await purchase();
    const { id } = (await open({ paymentId })).body;
    for (const amount of [1, 1000, null])
      expect(await account.api.call('/payments/refund', { paymentId, amount })).toMatchObject({
        status: 409,
        body: { data: { reason: 'invalid_state', code: 'PAYMENT_DISPUTED' } },
      });
    expect((await advance(id, 'under_review')).body).toMatchObject({ status: 'under_review', closedAt: null });
    clock.advance(1000);
    const headers = { 'Idempotency-Key': `win-${id}` };
    const [won, replayed, unchanged] = [
      await advance(id, 'won', headers),
      await advance(id, 'won', headers),
      await advance(id, 'won'),
    ];
    expect(won.body).toMatchObject({ status: 'won', closedAt: clock.now().toISOString() });
    expect([replayed.body, unchanged.body]).toEqual([won.body, won.body]);
    expect(await postingsOf(paymentId)).toEqual(['disputes 0', 'merchant_balance -1000', 'processor_receivable 1000']);
    expect(await eventsOf(id)).toEqual(['1 dispute/created', '2 dispute/updated', '3 dispute/updated']);
    expect((await account.api.ok('/payments/refund', { paymentId })).payment.status).toBe('refunded');
  });

  test('lost: the amount does not return; the undisputed rest can be refunded', async () => {
    const paymentId = await purchase();
    const { id } = (await open({ paymentId, amount: 700 })).body;
    expect((await advance(id, 'lost')).body).toMatchObject({ status: 'lost' });
    for (const status of ['won', 'under_review'])
      expect(await advance(id, status)).toMatchObject({ status: 409, body: { data: { reason: 'invalid_state' } } });
    expect(await account.api.call('/payments/refund', { paymentId, amount: 301 })).toMatchObject({
      status: 400,
      body: { data: { issues: [{ path: 'amount', message: 'must be at most the refundable balance, 300' }] } },
    });
    expect((await account.api.ok('/payments/refund', { paymentId })).payment).toMatchObject({
      status: 'partially_refunded',
      refundedAmount: 300,
    });
    expect(await postingsOf(paymentId)).toEqual([
      'disputes 700',
      'merchant_balance -1000',
      'processor_receivable 0',
      'refunds 300',
    ]);
  });

  test('400 for a status that is not a next one', async () => {
    const { id } = (await open({ paymentId: await purchase() })).body;
    for (const status of ['needs_response', 'gone', null])
      expect((await account.api.call(`/test-disputes/${id}/advance`, { status })).status).toBe(400);
  });
});

test('refunds beside disputes at once take no more than was captured; what disputes take beyond it is a loss', async () => {
  for (let round = 0; round < rounds; round++) {
    if (round % 50 === 0) await asOwner(platform, 'TRUNCATE limits.buckets, limits.windows, limits.field_calls');
    const paymentId = await purchase();
    await Promise.all([
      open({ paymentId, amount: 600 }),
      open({ paymentId, amount: 600 }),
      ...[300, 500, 700].map((amount) => account.api.call('/payments/refund', { paymentId, amount })),
    ]);
    await resolveUnknownPayments(platform.services);
    const { rows } = await platform.services.pool.query(
      `SELECT "capturedAmount" - "refundedAmount" - "reservedAmount" AS left, "disputedAmount" AS disputed FROM payments
       WHERE id = $1`,
      [paymentId],
    );
    expect(rows[0].left).toBeGreaterThanOrEqual(0);
    expect(rows[0].disputed).toBe(1200);
  }
  const { rows: overdrawn } = await platform.services.pool.query(
    `SELECT reference
      FROM test_processor.charges c
      WHERE "refundedAmount" > "capturedAmount"`,
  );
  expect(overdrawn).toEqual([]);
});

test('a dispute won and lost at once is decided once, by one event', async () => {
  for (let round = 0; round < rounds; round++) {
    if (round % 50 === 0) await asOwner(platform, 'TRUNCATE limits.buckets, limits.windows, limits.field_calls');
    const paymentId = await purchase();
    const { id } = (await open({ paymentId })).body;
    const answers = await Promise.all(['won', 'lost', 'won', 'lost'].map((status) => advance(id, status)));
    const { status } = await account.api.ok(`/disputes/${id}`);
    for (const answer of answers)
      expect(answer.status === 200 ? answer.body.status : answer.body.data.reason).toBe(
        answer.status === 200 ? status : 'invalid_state',
      );
    expect(await eventsOf(id)).toEqual(['1 dispute/created', '2 dispute/updated']);
  }
});

test('the card 4000000000000259 is charged, then disputed, once', async () => {
  const { payment } = await account.charge('4000000000000259');
  expect(payment['status']).toBe('succeeded');
  await Promise.all([deliverTestDisputes(platform.services), deliverTestDisputes(platform.services)]);
  await deliverTestDisputes(platform.services);
  const { items } = await account.api.ok('/disputes/list', { filters: { paymentId: payment['id'] } });
  expect(items).toMatchObject([{ status: 'needs_response', amount: payment['amount'], reason: 'fraudulent' }]);
  expect(await eventsOf(items[0].id)).toEqual(['1 dispute/created']);
});

test('a dispute reported after it was won is recorded, though its amount was refunded since', async () => {
  const { payment, transactions } = await account.charge('tok_visa', { amount: 1000 });
  const paymentId = String(payment['id']);
  // Only the test processor has this function.
  const { disputes } = platform.services.processors.get('test') as TestProcessor;
  const opened = await disputes.open({
    reference: `bank-${paymentId}`,
    authorizationReference: String(transactions[0]?.['processorReference']),
    amount: 700,
    reason: 'unrecognized',
  });
  if (typeof opened === 'string') throw new Error(opened);
  await disputes.move(opened.processorReference, 'won');
  expect((await account.api.ok('/payments/refund', { paymentId })).payment.status).toBe('refunded');
  await deliverTestDisputes(platform.services);
  const { items } = await account.api.ok('/disputes/list', { filters: { paymentId } });
  expect(items).toMatchObject([{ status: 'won', amount: 700, closedAt: clock.now().toISOString() }]);
  expect(await eventsOf(items[0].id)).toEqual(['1 dispute/created']);
  expect(await postingsOf(paymentId)).toEqual(['merchant_balance -1000', 'processor_receivable 0', 'refunds 1000']);
  expect((await disputes.listUnnotified()).map(({ processorReference }) => processorReference)).not.toContain(
    opened.processorReference,
  );
});

test('on a test clock the card 4000000000000259 is disputed by the clock, never by the real time', async () => {
  // A separate account: the lists of the others contain disputes of one day.
  const account = await partner.account();
  const begin = '2027-05-01T00:00:00.000Z';
  const testClock = await account.api.ok('/test-clocks/create', { name: 'Disputes', now: begin });
  const advanceTo = (to: string) => account.api.ok(`/test-clocks/${testClock.id}/advance`, { to });
  const customer = await account.api.ok('/customers/create', {
    email: 'disputes@example.com',
    testClockId: testClock.id,
  });
  const { id: paymentInstrumentId } = await account.instrument('4000000000000259', customer.id);
  const charge = { paymentInstrumentId, amount: 1500, currency: 'USD' };
  const { payment } = await account.api.ok('/payments/process', charge);
  const disputes = async () => (await account.api.ok('/disputes/list', { filters: { paymentId: payment.id } })).items;
  await deliverTestDisputes(platform.services);
  await advanceTo('2027-05-01T00:00:04.999Z');
  expect(await disputes()).toEqual([]);
  await advanceTo('2027-06-01T00:00:00.000Z');
  const [dispute] = await disputes();
  expect(dispute).toMatchObject({
    status: 'needs_response',
    amount: 1500,
    reason: 'fraudulent',
    createdAt: '2027-05-01T00:00:05.000Z',
    evidenceDueAt: '2027-05-08T00:00:05.000Z',
  });
  expect((await account.api.ok('/events/list', { filters: { objectId: dispute.id } })).items).toMatchObject([
    { type: 'dispute/created', createdAt: '2027-05-01T00:00:05.000Z' },
  ]);
  // The notification is sent once: neither the job nor another advance repeats it.
  await deliverTestDisputes(platform.services);
  expect(await advanceTo('2027-07-01T00:00:00.000Z')).toMatchObject({ status: 'ready', stepsDone: 0 });
  expect(await eventsOf(dispute.id)).toEqual(['1 dispute/created']);
});

test('POST /disputes/list filters by status, payment, store and time', async () => {
  const [open1, open2] = [
    (await open({ paymentId: await purchase() })).body,
    (await open({ paymentId: await purchase() })).body,
  ];
  await advance(open2.id, 'lost');
  const total = async (filters: object) => (await account.api.ok('/disputes/list', { filters })).total;
  const all = (await account.api.ok('/disputes/list', {})).total;
  expect(await total({ status: ['lost', 'won', 'under_review', 'needs_response'] })).toBe(all);
  expect(await total({ status: ['lost'], paymentId: open2.paymentId })).toBe(1);
  expect(await total({ status: ['lost'], paymentId: open1.paymentId })).toBe(0);
  expect(
    await total({ storeId: [account.storeId], createdAt: { condition: 'is-equal-date', value: ['2026-03-01'] } }),
  ).toBe(all);
  expect(await total({ createdAt: { condition: 'is-after-date', value: ['2026-03-01'] } })).toBe(0);
  expect((await account.api.call('/disputes/list', { sortBy: { field: 'amount', direction: 'asc' } })).status).toBe(
    400,
  );
});

describe('the database', () => {
  test('rejects reopening a decided dispute and changing what it is about', async () => {
    const { id } = (await open({ paymentId: await purchase() })).body;
    await expect(platform.services.pool.query('UPDATE disputes SET amount = 1 WHERE id = $1', [id])).rejects.toThrow(
      'never changed',
    );
    await advance(id, 'lost');
    await expect(
      platform.services.pool.query(`UPDATE disputes SET status = 'won' WHERE id = $1`, [id]),
    ).rejects.toThrow('never changes again');
  });

  test('rejects a negative disputed amount', async () => {
    await expect(
      platform.services.pool.query('UPDATE payments SET "disputedAmount" = -1 WHERE id = $1', [await purchase()]),
    ).rejects.toThrow('payments_money');
  });
});
