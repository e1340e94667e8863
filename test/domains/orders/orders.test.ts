import { describe, expect, test } from 'vitest';
import { verifyLedger } from '../../../src/domains/ledger/verify-ledger.ts';
import { mayBePaid, orderStatuses, stepAfter } from '../../../src/domains/orders/lifecycle.ts';
import { usePlatform } from '../../support/platform.ts';
import { seedPartner } from '../../support/seed.ts';

const platform = await usePlatform();
const partner = await seedPartner(platform);
const account = await partner.account();

const items = [
  { name: 'Shoes', quantity: 2, unitAmount: 1000 },
  { name: 'Laces', quantity: 1, unitAmount: 500 },
];
const order = (more = {}) => account.api.ok('/orders/create', { currency: 'USD', items, ...more });
const statusOf = async (orderId: string) => (await account.api.ok(`/orders/${orderId}`)).status;
const eventsOf = async (orderId: string) =>
  (await platform.services.prisma.event.findMany({ where: { objectId: orderId }, orderBy: { sequence: 'asc' } })).map(
    ({ type, sequence }) => `${sequence} ${type}`,
  );

test('the states an order can be paid from, and its state after each payment', () => {
  expect(orderStatuses.filter((status) => mayBePaid({ status, paymentId: null }))).toEqual(['pending', 'failed']);
  expect(orderStatuses.filter((status) => mayBePaid({ status, paymentId: 'pay_1' }))).toEqual([]);
  expect(
    ['pending', 'succeeded', 'declined', 'failed', 'partially_refunded', 'refunded'].map(
      (status) => stepAfter({ status: 'pending' }, { status })?.event ?? null,
    ),
  ).toEqual([null, 'order/paid', 'order/failed', 'order/failed', 'order/refunded', 'order/refunded']);
  expect(stepAfter({ status: 'failed' }, { status: 'declined' })).toEqual({
    status: 'failed',
    event: null,
    releasesOrder: true,
  });
});

describe('POST /orders/create', () => {
  test('200: the sum of its items, and the last order of its customer', async () => {
    const { customerId } = await account.instrument();
    const created = await order({ customerId, metadata: { cart: '1' } });
    expect(created).toMatchObject({
      storeId: account.storeId,
      platformAccountId: account.id,
      customerId,
      amount: 2500,
      currency: 'USD',
      status: 'pending',
      paymentId: null,
      metadata: { cart: '1' },
      livemode: false,
    });
    expect(created.items).toMatchObject([
      { name: 'Shoes', quantity: 2, unitAmount: 1000, priceId: null },
      { name: 'Laces' },
    ]);
    expect([created.id, created.items[0].id]).toEqual([expect.stringMatching(/^ord_/), expect.stringMatching(/^li_/)]);
    expect(await account.api.ok(`/orders/${created.id}`)).toEqual(created);
    expect((await account.api.ok(`/customers/${customerId}`)).lastOrderId).toBe(created.id);
  });

  test.each([
    ['items', { items: [] }],
    ['items[0].quantity', { items: [{ name: 'x', quantity: 0, unitAmount: 1 }] }],
    ['items', { items: [{ name: 'x', quantity: 1_000_000, unitAmount: 1_000_000 }] }],
    ['currency', { currency: 'usd' }],
  ])('400 naming %s', async (path, more) => {
    const answer = await account.api.call('/orders/create', { currency: 'USD', items, ...more });
    expect([answer.status, answer.body.data.issues[0].path]).toEqual([400, path]);
  });

  test("404 for another account's customer, and for its order", async () => {
    const other = await partner.account();
    expect(
      (
        await account.api.call('/orders/create', {
          currency: 'USD',
          items,
          customerId: (await other.instrument()).customerId,
        })
      ).status,
    ).toBe(404);
    expect((await other.api.call(`/orders/${(await order()).id}`)).status).toBe(404);
    expect(
      (
        await other.api.call('/payments/process', {
          storeId: other.storeId,
          paymentInstrumentId: (await other.instrument()).id,
          amount: 2500,
          currency: 'USD',
          orderId: (await order()).id,
        })
      ).status,
    ).toBe(404);
  });
});

test('400 naming currency for a charge in another currency of the store than that of the order', async () => {
  const { api } = await partner.account();
  const { id: storeId } = await api.ok('/stores/create', { name: 'Both', chargeCurrencies: ['USD', 'EUR'] });
  const { id: orderId } = await api.ok('/orders/create', { storeId, currency: 'USD', items });
  const { paymentInstrument } = await api.ok('/payment-instruments/create-from-token', {
    storeId,
    token: 'tok_visa',
    customerData: { email: 'both@example.com' },
  });
  const charge = { storeId, paymentInstrumentId: paymentInstrument.id, amount: 2500 };
  const pay = (currency: string, more = {}) => api.call('/payments/process', { ...charge, currency, ...more });
  const { status, body } = await pay('EUR', { orderId });
  expect([status, body.data.issues.map(({ path }: { path: string }) => path)]).toEqual([400, ['currency']]);
  expect((await api.ok(`/orders/${orderId}`)).status).toBe('pending');
  for (const answer of [await pay('EUR'), await pay('USD', { orderId })])
    expect(answer.body.payment.status).toBe('succeeded');
});

describe('an order follows its payment', () => {
  test('paid, partially refunded, refunded', async () => {
    const { id } = await order();
    const { payment } = await account.charge('tok_visa', { orderId: id });
    expect(payment['orderId']).toBe(id);
    expect(await statusOf(id)).toBe('paid');
    await account.api.ok('/payments/refund', { paymentId: payment['id'], amount: 100 });
    expect(await statusOf(id)).toBe('partially_refunded');
    await account.api.ok('/payments/refund', { paymentId: payment['id'] });
    expect(await statusOf(id)).toBe('refunded');
    expect(await eventsOf(id)).toEqual(['1 order/created', '2 order/paid', '3 order/refunded', '4 order/refunded']);
  });

  test('failed by a decline, twice, and then paid with another card', async () => {
    const { id } = await order();
    for (const card of ['tok_visa_declined', 'tok_visa_insufficient']) {
      await account.charge(card, { orderId: id });
      expect(await account.api.ok(`/orders/${id}`)).toMatchObject({ status: 'failed', paymentId: null });
    }
    const { payment } = await account.charge('tok_visa', { orderId: id });
    expect(await account.api.ok(`/orders/${id}`)).toMatchObject({ status: 'paid', paymentId: payment['id'] });
    expect(await eventsOf(id)).toEqual(['1 order/created', '2 order/failed', '3 order/paid']);
  });

  test('pending while the payment is authorized, paid by the capture, failed by the void', async () => {
    for (const [what, status] of [
      ['capture', 'paid'],
      ['void', 'failed'],
    ] as const) {
      const { id } = await order();
      const { payment } = await account.charge('tok_visa', { orderId: id, mode: 'auth' });
      expect(await account.api.ok(`/orders/${id}`)).toMatchObject({ status: 'pending', paymentId: payment['id'] });
      await account.api.ok(`/payments/${what}`, { paymentId: payment['id'] });
      expect(await statusOf(id)).toBe(status);
    }
  });

  test('400 for another amount or currency, 409 when it is paid or being paid, 404 when unknown', async () => {
    const { id } = await order();
    const { id: paymentInstrumentId } = await account.instrument();
    const charge = (more = {}) =>
      account.api.call('/payments/process', {
        paymentInstrumentId,
        amount: 2500,
        currency: 'USD',
        orderId: id,
        ...more,
      });
    expect((await charge({ amount: 2499 })).body.data.issues[0].path).toBe('amount');
    expect((await charge({ orderId: 'ord_unknown' })).status).toBe(404);
    const { payment } = await account.charge('tok_visa', { orderId: id, mode: 'auth' });
    expect(await charge()).toMatchObject({ status: 409, body: { data: { reason: 'invalid_state' } } });
    await account.api.ok('/payments/capture', { paymentId: payment['id'] });
    expect(await charge()).toMatchObject({ status: 409, body: { message: 'The order is paid.' } });
  });

  test('ten charges at once pay it once, and a rejected one leaves its Idempotency-Key free', async () => {
    const { id } = await order();
    const { id: paymentInstrumentId } = await account.instrument();
    const charge = (key: string, orderId: string) =>
      account.api.call(
        '/payments/process',
        { paymentInstrumentId, amount: 2500, currency: 'USD', orderId },
        { headers: { 'Idempotency-Key': key } },
      );
    const answers = await Promise.all(Array.from({ length: 10 }, (_, index) => charge(`order-${index}`, id)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(409)]);
    expect(await platform.services.prisma.payment.count({ where: { orderId: id } })).toBe(1);
    const refused = answers.findIndex(({ status }) => status === 409);
    expect((await charge(`order-${refused}`, (await order()).id)).status).toBe(200);
  });
});

describe('POST /orders/cancel', () => {
  const cancel = (orderId: unknown, options = {}) => account.api.call('/orders/cancel', { orderId }, options);

  test('200 for an unpaid order, also after a decline: canceled permanently, with one event', async () => {
    for (const declined of [false, true]) {
      const { id } = await order();
      if (declined) await account.charge('tok_visa_declined', { orderId: id });
      const canceled = await cancel(id);
      expect([canceled.status, canceled.body]).toEqual([200, await account.api.ok(`/orders/${id}`)]);
      expect(canceled.body).toMatchObject({ id, status: 'canceled', paymentId: null });
      expect((await eventsOf(id)).at(-1)).toBe(`${declined ? 3 : 2} order/canceled`);
      const {
        items: [canceledEvent],
      } = await account.api.ok('/events/list', { filters: { objectId: id, type: ['order/canceled'] } });
      expect(canceledEvent.data.object).toEqual(canceled.body);
      expect(
        (await account.api.ok('/orders/list', { filters: { status: ['canceled'] } })).items.map(
          (each: { id: string }) => each.id,
        ),
      ).toContain(id);
    }
  });

  test('409 when it is paid, refunded, authorized, challenged or canceled', async () => {
    const refusal = async (id: string) => (await cancel(id)).body;
    const paid = (await order()).id;
    const { payment } = await account.charge('tok_visa', { orderId: paid });
    expect(await refusal(paid)).toMatchObject({
      code: 'CONFLICT',
      message: 'The order is paid: refund the payment instead of canceling the order.',
      data: { reason: 'invalid_state' },
    });
    await account.api.ok('/payments/refund', { paymentId: payment['id'] });
    expect(await refusal(paid)).toMatchObject({
      message: 'The order is refunded: refund the payment instead of canceling the order.',
    });
    const held = (await order()).id;
    const hold = await account.charge('tok_visa', { orderId: held, mode: 'auth' });
    expect(await refusal(held)).toMatchObject({
      message: 'A payment of the order is in progress. Void it or wait until it completes.',
    });
    await account.api.ok('/payments/void', { paymentId: hold.payment['id'] });
    expect((await cancel(held)).status).toBe(200);
    const challenged = (await order()).id;
    await account.charge('tok_visa_3ds', { orderId: challenged });
    expect((await cancel(challenged)).status).toBe(409);
    expect(await refusal(held)).toMatchObject({
      message: 'The order is already canceled.',
      data: { reason: 'invalid_state' },
    });
    expect((await eventsOf(held)).filter((line) => line.endsWith('canceled'))).toHaveLength(1);
  });

  test('409 for a charge of a canceled order; 404 for the order of another account; 400 without one', async () => {
    const { id } = await order();
    await cancel(id);
    const { id: paymentInstrumentId } = await account.instrument();
    expect(
      await account.api.call('/payments/process', { paymentInstrumentId, amount: 2500, currency: 'USD', orderId: id }),
    ).toMatchObject({ status: 409, body: { message: 'The order is canceled.' } });
    expect((await (await partner.account()).api.call('/orders/cancel', { orderId: (await order()).id })).status).toBe(
      404,
    );
    expect((await cancel('ord_unknown')).status).toBe(404);
    expect((await account.api.call('/orders/cancel', {})).body.data.issues[0].path).toBe('orderId');
  });

  test('the same Idempotency-Key cancels once and returns the same answer', async () => {
    const { id } = await order();
    const options = { headers: { 'Idempotency-Key': `cancel-${id}` } };
    const [first, second] = [await cancel(id, options), await cancel(id, options)];
    expect([second.status, second.headers.get('Idempotent-Replayed'), second.body]).toEqual([200, 'true', first.body]);
  });

  test('canceled and charged at once: one of the two, for any outcome of the charge', async () => {
    for (const card of ['tok_visa', 'tok_visa', 'tok_visa', '4000000000000119', 'tok_visa_declined']) {
      const { id } = await order();
      const { id: paymentInstrumentId } = await account.instrument(card);
      const [charged, ...canceled] = await Promise.all([
        account.api.call('/payments/process', { paymentInstrumentId, amount: 2500, currency: 'USD', orderId: id }),
        cancel(id),
        cancel(id),
      ]);
      const done = canceled.filter(({ status }) => status === 200).length;
      const { status, paymentId } = await account.api.ok(`/orders/${id}`);
      const lines = await eventsOf(id);
      expect(lines.filter((line) => line.endsWith('order/canceled'))).toHaveLength(done);
      expect(lines.map((line) => Number(line.split(' ')[0]))).toEqual(lines.map((_, index) => index + 1));
      // A failed charge releases the order, which may then be canceled.
      if (done === 1)
        expect([status, paymentId, charged.status === 409 || charged.body.payment.status !== 'succeeded']).toEqual([
          'canceled',
          null,
          true,
        ]);
      else expect([done, charged.status, status]).toEqual([0, 200, card === 'tok_visa' ? 'paid' : 'failed']);
      expect(await platform.services.prisma.payment.count({ where: { orderId: id, status: 'succeeded' } })).toBe(
        status === 'paid' ? 1 : 0,
      );
    }
  });
});

test('POST /orders/list: by status, customer and amount, with an exact total and a cursor', async () => {
  const own = await partner.account();
  const { customerId } = await own.instrument();
  const made: string[] = [];
  for (const unitAmount of [300, 100, 200])
    made.push(
      (
        await own.api.ok('/orders/create', {
          currency: 'USD',
          customerId,
          items: [{ name: 'x', quantity: 1, unitAmount }],
        })
      ).id,
    );
  expect(await own.api.ok('/orders/list', { sortBy: { field: 'amount', direction: 'asc' } })).toMatchObject({
    total: 3,
    items: [{ amount: 100 }, { amount: 200 }, { amount: 300 }],
  });
  expect((await own.api.ok('/orders/list', { filters: { status: ['paid'] } })).total).toBe(0);
  const first = await own.api.ok('/orders/list', { pageSize: 2, filters: { customerId } });
  const rest = await own.api.ok('/orders/list', { cursor: first.nextCursor, filters: { customerId } });
  expect([...first.items, ...rest.items].map(({ id }) => id).sort()).toEqual(made.sort());
  expect((await own.api.call('/orders/list', { sortBy: { field: 'status', direction: 'asc' } })).status).toBe(400);
});

test('the ledger and the records of the processor agree', async () =>
  expect((await verifyLedger(platform.services)).differences).toEqual([]));
