import { expect, test } from 'vitest';
import { usePlatform } from '../../support/platform.ts';
import { seedPartner } from '../../support/seed.ts';
import { priceOf } from '../../support/subscriptions.ts';

const platform = await usePlatform();
const { pool } = platform.services;
const partner = await seedPartner(platform);
const account = await partner.account();
const neighbor = await partner.account();
const stranger = await seedPartner(platform);

const address = { line1: '1 Main Street', city: 'Springfield', country: 'US' };
const wholeAddress = { ...address, firstName: null, lastName: null, line2: null, state: null, postalCode: null };
const shownAddress = { ...wholeAddress, phone: null, email: null };
const kinds = ['paymentInstruments', 'orders', 'payments', 'refunds', 'subscriptions', 'disputes', 'events'] as const;

const newCustomer = (email: string): Promise<{ id: string }> =>
  account.api.ok('/customers/create', { email, billingAddress: address });

/** A customer with an object of each kind. */
async function customerWithAll(email: string) {
  const { id } = await newCustomer(email);
  const { storeId, api } = account;
  const instrument = await account.instrument('4242424242424242', id);
  const order = await api.ok('/orders/create', {
    storeId,
    customerId: id,
    currency: 'USD',
    items: [{ name: 'Tea', quantity: 1, unitAmount: 2500 }],
  });
  const charge = { storeId, paymentInstrumentId: instrument.id, amount: 2500, currency: 'USD' };
  const { payment } = await api.ok('/payments/process', { ...charge, shippingAddress: address });
  await api.ok('/payments/refund', { paymentId: payment.id, amount: 100 });
  const dispute = await api.ok('/test-disputes/create', { paymentId: payment.id, amount: 200 });
  await api.ok('/subscriptions/create', {
    customerId: id,
    paymentInstrumentId: instrument.id,
    priceId: await priceOf(account),
  });
  return { id, instrument, order, payment, dispute };
}

test('200: the customer with all its objects, as each is read alone, and the addresses of its payments', async () => {
  const { id, instrument, order, payment, dispute } = await customerWithAll('ann@example.com');
  await customerWithAll('another@example.com');
  const { api } = account;

  const data = await api.ok(`/customers/${id}/data`);

  expect(data.customer).toEqual(await api.ok(`/customers/${id}`));
  expect(data.paymentInstruments.items).toEqual([await api.ok(`/payment-instruments/${instrument.id}`)]);
  expect(data.orders.items).toEqual([await api.ok(`/orders/${order.id}`)]);
  expect(data.payments.items).toHaveLength(2);
  expect(data.payments.items).toContainEqual({
    payment: (await api.ok(`/payments/${payment.id}`)).payment,
    billingAddress: null,
    shippingAddress: shownAddress,
  });
  expect(data.refunds.items).toMatchObject([{ paymentId: payment.id, amount: 100 }]);
  expect(data.disputes.items).toEqual([await api.ok(`/disputes/${dispute.id}`)]);
  expect(data.subscriptions.items).toMatchObject([{ customerId: id, status: 'active' }]);
  const ofEvents = data.events.items.map((event: { data: { object: { id: string } } }) => event.data.object.id);
  expect(new Set(ofEvents)).toEqual(new Set([id]));
  expect(data.events.items).toContainEqual(expect.objectContaining({ type: 'customer/created', sequence: 1 }));
  for (const kind of kinds) expect([kind, data[kind].hasMore]).toEqual([kind, false]);
  expect(JSON.stringify(data)).not.toContain('4242424242424242');
});

test('200: of each kind the newest 500, and hasMore says that there are others', async () => {
  const { id } = await newCustomer('busy@example.com');
  const add = (from: number, to: number) =>
    pool.query(
      `INSERT INTO orders (id, "partnerId", "platformAccountId", mode, "storeId", "customerId", amount, currency, items,
        status, metadata, "createdAt", "updatedAt")
      SELECT 'ord_many' || n, c."partnerId", c."platformAccountId", c.mode, c."storeId", c.id, 100, 'USD', '[]', 'pending',
        '{}', c."createdAt" + n * interval '1 ms', c."createdAt"
      FROM customers c, generate_series($2::int, $3::int) n WHERE c.id = $1`,
      [id, from, to],
    );
  await add(1, 500);
  const full = (await account.api.ok(`/customers/${id}/data`)).orders;
  expect([full.items.length, full.hasMore]).toEqual([500, false]);
  await add(501, 501);
  const { items, hasMore } = (await account.api.ok(`/customers/${id}/data`)).orders;
  expect([items.length, items[0].id, items.at(-1).id, hasMore]).toEqual([500, 'ord_many501', 'ord_many2', true]);
});

test('200 for the partner key; 404 for another account, another partner, the other mode and an unknown customer', async () => {
  const { id } = await newCustomer('mine@example.com');
  expect((await partner.api.ok(`/customers/${id}/data`)).customer.id).toBe(id);
  const live = await seedPartner(platform, 'live', partner.id);
  for (const api of [neighbor.api, stranger.api, live.api])
    expect(await api.call(`/customers/${id}/data`)).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
  expect((await account.api.call('/customers/cus_unknown/data')).status).toBe(404);
});

test('200 for a deleted customer, as it is read itself: what is left, without the person', async () => {
  const { id } = await newCustomer('leaving@example.com');
  await account.api.ok(`/customers/${id}`, undefined, { method: 'DELETE' });
  const data = await account.api.ok(`/customers/${id}/data`);
  expect(data.customer).toEqual(await account.api.ok(`/customers/${id}`));
  expect(data.events.items.length).toBeGreaterThan(0);
  expect(JSON.stringify(data)).not.toMatch(/leaving@|Main Street/);
});

test('400 for a free document that asks for more than the cost of a query', async () => {
  const { id } = await newCustomer('costly@example.com');
  const ask = (fields: string) =>
    account.api.graphql(`{ customerData(customerId: "${id}") { payments { items { ${fields} } } } }`);
  expect((await ask('payment { id amount }')).errors).toBeUndefined();
  const { errors } = await ask('payment { id transactions { id type status amount } refunds(first: 100) { id } }');
  expect(errors?.[0]?.message).toMatch(/exceeds the query limits \(complexity\)/);
});
