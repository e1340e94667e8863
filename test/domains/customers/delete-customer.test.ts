import { afterAll, expect, test } from 'vitest';
import { eraseDeletedCards } from '../../../src/domains/instruments/jobs.ts';
import { deliverWebhooks } from '../../../src/domains/webhooks/deliveries/jobs.ts';
import { manualClock } from '../../../src/lib/clock.ts';
import { usePlatform } from '../../support/platform.ts';
import { startReceiver } from '../../support/receiver.ts';
import { type SeededAccount, seedPartner } from '../../support/seed.ts';
import { priceOf } from '../../support/subscriptions.ts';

const clock = manualClock(new Date());
const platform = await usePlatform({ clock, env: { WEBHOOK_ALLOW_PRIVATE: 'true' } });
const { services } = platform;
const { pool } = services;
const partner = await seedPartner(platform);
const account = await partner.account();
const echoing = await startReceiver(({ text }, _count, response) => {
  response.writeHead(200).end(text);
});
afterAll(() => echoing.close());

/** Every word by which the person can be found. */
const person = {
  email: 'Wanda.Findable@example.com',
  firstName: 'Wanda',
  lastName: 'Findable',
  phone: '+1 555 0100 777',
  tags: ['findable:yes'],
  metadata: { findable: 'Findable' },
};
const address = {
  firstName: 'Wanda',
  lastName: 'Findable',
  line1: '7 Findable Street',
  city: 'Findable',
  postalCode: '77777',
  country: 'US',
};
const traces = /findable|wanda|555 0100 777/i;

const remove = (id: string, of: SeededAccount = account) =>
  of.api.call(`/customers/${id}`, undefined, { method: 'DELETE' });

async function paidCustomer(more: object = {}) {
  const { id } = await account.api.ok('/customers/create', {
    ...person,
    billingAddress: address,
    shippingAddress: address,
  });
  const instrument = await account.instrument('4242424242424242', id);
  const { payment } = await account.api.ok('/payments/process', {
    storeId: account.storeId,
    paymentInstrumentId: instrument.id,
    amount: 2500,
    currency: 'USD',
    billingAddress: address,
    shippingAddress: address,
    ...more,
  });
  return { id, instrumentId: instrument.id, paymentId: payment.id as string };
}

/** The columns of the database that contain a word of the person. */
async function columnsWithTraces(): Promise<string[]> {
  const { rows } = await pool.query<{ table: string; column: string }>(
    `SELECT quote_ident(c.table_schema) || '.' || quote_ident(c.table_name) AS "table", c.column_name AS "column"
    FROM information_schema.columns c
    JOIN information_schema.tables t USING (table_schema, table_name)
    WHERE t.table_type = 'BASE TABLE' AND c.table_schema NOT IN ('pg_catalog', 'information_schema')
      AND c.data_type IN ('text', 'jsonb', 'json', 'ARRAY')`,
  );
  const found: string[] = [];
  for (const { table, column } of rows) {
    const { rows: hits } = await pool.query(`SELECT 1 FROM ${table} WHERE "${column}"::text ~* $1 LIMIT 1`, [
      traces.source,
    ]);
    if (hits.length > 0) found.push(`${table}.${column}`);
  }
  return found.sort();
}

test('200: no column contains the person any more; payments, money and the last four digits stay', async () => {
  await account.api.ok('/webhooks', { url: echoing.url, eventTypes: ['customer/created', 'customer/updated'] });
  const { id, instrumentId, paymentId } = await paidCustomer();
  await account.api.ok(`/customers/${id}`, { lastName: 'Findable-Smith' }, { method: 'PUT' });
  await deliverWebhooks(services);
  expect(await columnsWithTraces()).toEqual(
    expect.arrayContaining([
      'public.customers.email',
      'public.events.data',
      'public.payments.billingAddress',
      'public.payments.customerEmailLower',
      'public.webhook_attempts.responseBody',
    ]),
  );
  expect(await remove(id)).toMatchObject({ status: 200, body: { id, deleted: true } });
  expect(await columnsWithTraces()).toEqual([]);
  expect(await account.api.ok(`/customers/${id}`)).toMatchObject({
    id,
    email: `${id}@erased.invalid`,
    firstName: null,
    lastName: null,
    phone: null,
    tags: [],
    billingAddress: null,
    shippingAddress: null,
    metadata: {},
    deletedAt: clock.now().toISOString(),
  });
  expect(await account.api.ok(`/payments/${paymentId}`)).toMatchObject({ payment: { customerId: id, amount: 2500 } });
  expect((await account.api.ok('/payments/refund', { paymentId })).payment.status).toBe('refunded');
  expect(await account.api.ok(`/payment-instruments/${instrumentId}`)).toMatchObject({
    isActive: false,
    card: { last4: '4242' },
  });
  clock.advance(3_600_000);
  expect(await eraseDeletedCards(services)).toBe(1);
});

test('its events keep number, type and order; what is delivered later is erased, and customer/updated says so', async () => {
  await deliverWebhooks(services);
  const { id } = await paidCustomer();
  const list = async () =>
    (await account.api.ok('/events/list', { filters: { objectId: id } })).items
      .map(({ sequence, type }: { sequence: number; type: string }) => `${sequence} ${type}`)
      .sort();
  const before = await list();
  const received = echoing.received.length;
  await remove(id);
  expect(await list()).toEqual([...before, `${before.length + 1} customer/updated`]);
  await deliverWebhooks(services);
  const sent = echoing.received.slice(received);
  expect(sent.length).toBe(before.length + 1);
  for (const { text } of sent) expect(text).not.toMatch(traces);
  const deletions = sent.filter(({ event }) => event.data.object['deletedAt'] !== null);
  expect(deletions.map(({ event }) => event.type)).toEqual(['customer/updated']);
});

test('200 again with nothing changed; then 409 for every use, and its email address is free', async () => {
  const { id } = await paidCustomer();
  await remove(id);
  const { updatedAt } = await account.api.ok(`/customers/${id}`);
  clock.advance(1_000);
  expect(await remove(id)).toMatchObject({ status: 200, body: { id, deleted: true } });
  expect((await account.api.ok(`/customers/${id}`)).updatedAt).toBe(updatedAt);
  const refused = { status: 409, body: { data: { reason: 'invalid_state' } } };
  const items = [{ name: 'Mug', quantity: 1, unitAmount: 700 }];
  expect(await account.api.call(`/customers/${id}`, { phone: '1' }, { method: 'PUT' })).toMatchObject(refused);
  expect(await account.api.call('/orders/create', { customerId: id, currency: 'USD', items })).toMatchObject(refused);
  const token = { token: 'tok_visa', customerId: id };
  expect(await account.api.call('/payment-instruments/create-from-token', token)).toMatchObject(refused);
  const subscription = { customerId: id, priceId: await priceOf(account) };
  expect(await account.api.call('/subscriptions/create', subscription)).toMatchObject(refused);
  const next = await account.api.ok('/customers/create', person);
  expect(next.id).not.toBe(id);
  await remove(next.id);
});

test('409 while a subscription is not canceled or a payment is pending, which it names; nothing is erased', async () => {
  const held = await paidCustomer({ mode: 'auth' });
  const pending = await remove(held.id);
  expect(pending).toMatchObject({ status: 409, body: { data: { reason: 'invalid_state' } } });
  expect(pending.body.message).toContain(held.paymentId);
  expect(await account.api.ok(`/customers/${held.id}`)).toMatchObject({ email: person.email, deletedAt: null });
  await account.api.ok('/payments/void', { paymentId: held.paymentId });
  const { id: subscriptionId } = await account.api.ok('/subscriptions/create', {
    customerId: held.id,
    priceId: await priceOf(account),
  });
  const subscribed = await remove(held.id);
  expect(subscribed.status).toBe(409);
  expect(subscribed.body.message).toContain(subscriptionId);
  await account.api.ok('/subscriptions/cancel', { subscriptionId });
  expect((await remove(held.id)).status).toBe(200);
});

test('a deletion that races changes and uses: each is 200 before it or 409 after it, and leaves nothing of the person', async () => {
  for (let round = 0; round < 20; round++) {
    const { id } = await account.api.ok('/customers/create', { email: `raced-${round}@example.com` });
    await account.instrument('tok_visa', id);
    const items = [{ name: 'Mug', quantity: 1, unitAmount: 700 }];
    const answers = await Promise.all([
      account.api.call(`/customers/${id}`, { lastName: 'Findable' }, { method: 'PUT' }),
      account.api.call('/payment-instruments/create-from-token', { token: 'tok_mastercard', customerId: id }),
      account.api.call('/orders/create', { customerId: id, currency: 'USD', items }),
      remove(id),
      account.api.call(`/customers/${id}`, { phone: '+1 555 0100 777' }, { method: 'PUT' }),
      account.api.call('/payment-instruments/create-from-token', { token: 'tok_amex', customerId: id }),
    ]);
    expect(answers.filter(({ status }) => status !== 200 && status !== 409)).toEqual([]);
    expect(answers[3]?.status).toBe(200);
    expect(await account.api.ok(`/customers/${id}`)).toMatchObject({ lastName: null, phone: null });
    expect(await services.prisma.paymentInstrument.count({ where: { customerId: id, isActive: true } })).toBe(0);
  }
});

test('404 for the customer of another partner or account, which stays', async () => {
  const { id } = await account.api.ok('/customers/create', { email: 'mine@example.com' });
  const stranger = await (await seedPartner(platform)).account();
  const sibling = await partner.account();
  for (const other of [stranger, sibling]) expect((await remove(id, other)).status).toBe(404);
  expect(await account.api.ok(`/customers/${id}`)).toMatchObject({ email: 'mine@example.com', deletedAt: null });
});

test('the database lets nothing but the deletion of its customer change an event', async () => {
  const { id } = await account.api.ok('/customers/create', { email: 'kept@example.com' });
  await expect(pool.query(`SELECT erase_customer_events($1, '{"email": "x"}')`, [id])).rejects.toThrow(
    'is not deleted',
  );
  await expect(pool.query(`UPDATE events SET data = '{}' WHERE "objectId" = $1`, [id])).rejects.toThrow(
    /permission denied|never changed/,
  );
});
