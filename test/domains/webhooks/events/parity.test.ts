import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { printedOpenApi } from '../../../../rest/print-openapi.ts';
import { createTestProcessor } from '../../../../src/adapters/test-processor/test-processor.ts';
import { expireChallenges } from '../../../../src/domains/payments/resolution/expire.ts';
import { failTestRefunds } from '../../../../src/domains/payments/resolution/notices.ts';
import { deliverWebhooks } from '../../../../src/domains/webhooks/deliveries/jobs.ts';
import { manualClock } from '../../../../src/lib/clock.ts';
import { type EventType, eventTypes } from '../../../../src/registry.ts';
import { asOwner, freshDatabase } from '../../../support/database.ts';
import { startTestPlatform, type TestPlatform } from '../../../support/platform.ts';
import { type DelayedProcessor, delayedProcessor } from '../../../support/processor-line.ts';
import { disableRateLimits } from '../../../support/rates.ts';
import { startReceiver } from '../../../support/receiver.ts';
import { type SeededAccount, type SeededPartner, seedPartner } from '../../../support/seed.ts';
import { dayMs, passTo, priceOf } from '../../../support/subscriptions.ts';
import { addFunnel } from '../../funnels/example-funnel.ts';
import { pluginsOf } from '../../plugins/sample.ts';

const minuteMs = 60_000;
const openApi = JSON.parse(printedOpenApi());
const ajv = new Ajv2020({ strict: false, allErrors: true });
formats.default(ajv);
ajv.addSchema(openApi, 'openapi');
const clock = manualClock(new Date('2026-03-01T10:00:00.000Z'));
let processor: ReturnType<typeof createTestProcessor>;
let connection: DelayedProcessor;
let platform: TestPlatform;
let partner: SeededPartner;
let account: SeededAccount;
let priceId: string;

beforeAll(async () => {
  const databaseUrl = await freshDatabase();
  processor = createTestProcessor({ database: databaseUrl, clock });
  connection = delayedProcessor(processor);
  platform = await startTestPlatform({
    databaseUrl,
    clock,
    env: { WEBHOOK_ALLOW_PRIVATE: 'true' },
    processors: new Map([['test', connection.processor]]),
  });
  // A column that no object names. It must not appear in the body of any event.
  for (const table of shownTables)
    await asOwner(platform, `ALTER TABLE ${table} ADD COLUMN "unlisted" text DEFAULT 'internal'`);
  await disableRateLimits(platform);
  partner = await seedPartner(platform);
  account = await partner.account();
  priceId = await priceOf(account);
});
afterAll(async () => {
  await platform?.close();
  await processor?.close();
});

const shownTables = [
  'processing_accounts',
  'kyb_requirements',
  'stores',
  'customers',
  'payment_instruments',
  'payments',
  'orders',
  'subscriptions',
  'disputes',
  'plugin_deployments',
  'plugin_instances',
  'plugin_mounts',
  'funnel_sessions',
  'webhook_endpoints',
];

type Body = Record<string, unknown>;

/** The object of an event, and what GET answers of the same object right after the change. */
interface Change {
  objectId: string;
  answer: Body;
}

interface Row {
  /** Makes the change and reads the object. */
  change(): Promise<Change>;
  /** Fields of the answer that the event leaves out (docs/contract/17-events-and-webhooks.md). */
  leftOut?: string[];
}

const read = async (path: string, objectId: string): Promise<Change> => ({
  objectId,
  answer: await account.api.ok(path),
});
const address = { firstName: 'Ada', line1: '1 Main Street', city: 'Berlin', country: 'DE' };
const email = () => `${Math.random()}@example.com`;

const readAccount = (id: string) =>
  partner.api.ok(`/accounts/${id}`).then((answer): Change => ({ objectId: id, answer }));
const readCustomer = (id: string) => read(`/customers/${id}`, id);
const readInstrument = (id: string) => read(`/payment-instruments/${id}`, id);
const readPayment = async (id: unknown): Promise<Change> => {
  const { payment } = await account.api.ok(`/payments/${id}`);
  return { objectId: payment.id, answer: payment };
};
const charged = async (card?: string, more?: Body) => (await account.charge(card, more)).payment['id'];
const readOrder = (id: string) => read(`/orders/${id}`, id);
const readSubscription = (id: string) => read(`/subscriptions/${id}`, id);
const readDispute = (id: string) => read(`/disputes/${id}`, id);
const readDeployment = (id: string) => read(`/plugins/v2/deployment/${id}`, id);
const readSession = (id: string) => read(`/funnel-sessions/${id}`, id);

const refundFailed = async (paymentId: unknown) => {
  await account.api.ok('/payments/refund', { paymentId, amount: 100 });
  clock.advance(5_000);
  await failTestRefunds(platform.services);
  return { paymentId };
};

const newOrder = async () =>
  (
    await account.api.ok('/orders/create', {
      storeId: account.storeId,
      customerId: (await account.instrument()).customerId,
      currency: 'USD',
      items: [
        { name: 'Tea', quantity: 2, unitAmount: 1000 },
        { name: 'Cup', quantity: 1, unitAmount: 500 },
      ],
      metadata: { cart: '7' },
    })
  ).id;
const orderCharged = async (card?: string) => {
  const orderId = await newOrder();
  return { orderId, paymentId: await charged(card, { orderId }) };
};

const subscribe = async (card?: string, more: Body = {}) => {
  const { customerId, id: paymentInstrumentId } = await account.instrument(card);
  const made = await account.api.ok('/subscriptions/create', { customerId, priceId, paymentInstrumentId, ...more });
  return made.id;
};
const pass = (ms: number) => passTo(platform, clock, new Date(clock.now().getTime() + ms));
const onSubscription = async (what: string, more: Body = {}, id?: string) => {
  const subscriptionId = id ?? (await subscribe());
  await account.api.ok(`/subscriptions/${what}`, { subscriptionId, ...more });
  return readSubscription(subscriptionId);
};
/** The state that can be read while the processor has not answered the charge. */
const whileCharging = async (charge: () => Promise<unknown>, readIt: () => Promise<Change>) => {
  const held = connection.holdNextCall();
  const charging = charge();
  const release = await held;
  const change = await readIt();
  release();
  await charging;
  return change;
};
/** A subscription whose card is declined when its trial has ended. */
const declinedRebill = async () => {
  const id = await subscribe('4000000000000341', { trialDays: 1 });
  await pass(dayMs);
  return readSubscription(id);
};

const deploy = async (version: string) =>
  (await pluginsOf(account.api).deploy({ manifest: { version } })).body.deploymentId;

const rows: Record<EventType, Row> = {
  'account/created': {
    change: async () => {
      const { id } = await partner.api.ok('/accounts', { legalName: 'Parity', country: 'DE', metadata: { a: '1' } });
      return readAccount(id);
    },
  },
  'account/updated': {
    change: async () => {
      const { id } = await partner.api.ok('/accounts', { legalName: 'Parity' });
      await partner.api.ok(`/accounts/${id}`, { legalName: 'Parity Ltd' }, { method: 'PUT' });
      return readAccount(id);
    },
  },
  'account/kybUpdated': {
    change: async () => {
      const { id } = await partner.api.ok('/accounts', { legalName: 'Parity' });
      await partner.api.ok(`/accounts/${id}/kyb/submit`, {
        items: [{ code: 'business.website', value: 'https://example.com' }],
      });
      return { objectId: id, answer: await partner.api.ok(`/accounts/${id}/kyb`) };
    },
  },
  'customer/created': {
    change: async () => {
      const body = { email: email(), tags: ['tier:gold'], billingAddress: address, metadata: { a: '1' } };
      return readCustomer((await account.api.ok('/customers/create', body)).id);
    },
  },
  'customer/updated': {
    change: async () => {
      const { id } = await account.api.ok('/customers/create', { email: email() });
      await account.api.ok(`/customers/${id}`, { phone: '+49', shippingAddress: address }, { method: 'PUT' });
      return readCustomer(id);
    },
  },
  'paymentInstrument/created': { change: async () => readInstrument((await account.instrument()).id) },
  'paymentInstrument/deleted': {
    change: async () => {
      const { id } = await account.instrument();
      await account.api.ok(`/payment-instruments/${id}`, undefined, { method: 'DELETE' });
      return readInstrument(id);
    },
  },
  'payment/created': {
    change: async () => {
      const orderId = await newOrder();
      return whileCharging(
        () => charged('tok_visa', { orderId, metadata: { cart: '7' }, billingAddress: address }),
        async () => readPayment((await account.api.ok('/payments', { filters: { orderId } })).items[0].id),
      );
    },
  },
  'payment/actionRequired': { change: async () => readPayment(await charged('tok_visa_3ds')) },
  'payment/authorized': { change: async () => readPayment(await charged('tok_visa', { mode: 'auth' })) },
  'payment/succeeded': { change: async () => readPayment(await charged('tok_visa', { shippingAddress: address })) },
  'payment/rejected': { change: async () => readPayment(await charged('tok_visa_declined')) },
  'payment/failed': {
    change: async () => {
      const id = await charged('tok_visa_3ds');
      clock.advance(31 * minuteMs);
      await expireChallenges(platform.services);
      return readPayment(id);
    },
  },
  'payment/captured': {
    change: async () => {
      const paymentId = await charged('tok_visa', { mode: 'auth' });
      await account.api.ok('/payments/capture', { paymentId, amount: 2000 });
      return readPayment(paymentId);
    },
  },
  'payment/voided': {
    change: async () => {
      const paymentId = await charged('tok_visa', { mode: 'auth' });
      await account.api.ok('/payments/void', { paymentId });
      return readPayment(paymentId);
    },
  },
  'payment/refunded': {
    change: async () => {
      const paymentId = await charged();
      await account.api.ok('/payments/refund', { paymentId, amount: 100 });
      return readPayment(paymentId);
    },
  },
  'payment/refundFailed': {
    change: async () => readPayment((await refundFailed(await charged('4000000000005126'))).paymentId),
  },
  'order/refundFailed': {
    change: async () => {
      const { orderId, paymentId } = await orderCharged('4000000000005126');
      await refundFailed(paymentId);
      return readOrder(orderId);
    },
  },
  'order/created': { change: async () => readOrder(await newOrder()) },
  'order/paid': { change: async () => readOrder((await orderCharged()).orderId) },
  'order/failed': { change: async () => readOrder((await orderCharged('tok_visa_declined')).orderId) },
  'order/refunded': {
    change: async () => {
      const { orderId, paymentId } = await orderCharged();
      await account.api.ok('/payments/refund', { paymentId, amount: 100 });
      return readOrder(orderId);
    },
  },
  'order/canceled': {
    change: async () => {
      const orderId = await newOrder();
      await account.api.ok('/orders/cancel', { orderId });
      return readOrder(orderId);
    },
  },
  'subscription/created': { change: async () => readSubscription(await subscribe('tok_visa', { trialDays: 30 })) },
  'subscription/activated': { change: async () => readSubscription(await subscribe()) },
  'subscription/updated': { change: () => onSubscription('update', { quantity: 3 }) },
  'subscription/paused': { change: () => onSubscription('pause') },
  'subscription/resumed': {
    change: async () => {
      const id = await subscribe('tok_visa', { trialDays: 30 });
      await onSubscription('cancel', { cancelAtPeriodEnd: true }, id);
      return onSubscription('resume', {}, id);
    },
  },
  'subscription/canceled': { change: () => onSubscription('cancel') },
  'subscription/cancelScheduled': { change: () => onSubscription('cancel', { cancelAtPeriodEnd: true }) },
  'subscription/pastDue': { change: declinedRebill },
  'subscription/actionRequired': {
    change: async () => {
      const id = await subscribe('4000000000000697', { trialDays: 1 });
      await pass(dayMs);
      return readSubscription(id);
    },
  },
  'subscription/rebillUpcoming': {
    change: async () => {
      const id = await subscribe('tok_visa', { trialDays: 10 });
      await pass(9 * dayMs);
      return readSubscription(id);
    },
  },
  'subscription/rebillSucceeded': {
    change: async () => {
      const id = await subscribe();
      await pass(31 * dayMs);
      return readSubscription(id);
    },
  },
  'subscription/rebillDeclined': { change: async () => readSubscription(await subscribe('tok_visa_declined')) },
  'dispute/created': {
    change: async () => {
      const { id } = await account.api.ok('/test-disputes/create', { paymentId: await charged() });
      return readDispute(id);
    },
  },
  'dispute/updated': {
    change: async () => {
      const { id } = await account.api.ok('/test-disputes/create', { paymentId: await charged() });
      await account.api.ok(`/test-disputes/${id}/advance`, { status: 'won' });
      return readDispute(id);
    },
  },
  'funnel/stepEntered': {
    change: async () => {
      const { id: funnelId } = await addFunnel(account);
      return readSession((await account.api.ok('/funnel-sessions', { funnelId })).id);
    },
    leftOut: ['url'],
  },
  'funnel/converted': {
    change: async () => {
      const { id: funnelId } = await addFunnel(account);
      const { id } = await account.api.ok('/funnel-sessions', { funnelId });
      const events = [
        { type: 'clicked' },
        { type: 'payment_succeeded', data: { paymentId: await charged() } },
        { type: 'offer_declined' },
      ];
      for (const event of events) await account.api.ok(`/funnel-sessions/${id}/next`, { event });
      return readSession(id);
    },
    leftOut: ['url'],
  },
  'plugin/deployed': {
    change: async () => readDeployment(await deploy('1.0.0')),
    leftOut: ['manifest', 'presets', 'schema', 'uiSchema', 'assets'],
  },
  'plugin/configUpdated': {
    change: async () => {
      const deploymentId = await deploy('1.1.0');
      const plugins = pluginsOf(account.api);
      const { storeId } = account;
      const { id } = await plugins.ok('/instance/create', { deploymentId, storeId, name: 'Shop' });
      await plugins.ok('/instance/mount', { deploymentInstanceId: id, storeId, alias: 'shop' });
      await plugins.ok('/instance/config', { deploymentInstanceId: id, storeId, config: { color: '#abcdef' } });
      return read(`/plugins/v2/instance/${id}`, id);
    },
  },
};

/** The body of the latest event of the type about the object, as GET /events/:id answers it. */
async function bodyOf(type: string, objectId: string): Promise<Body> {
  const { items } = await partner.api.ok('/events/list', { pageSize: 100, filters: { objectId, type: [type] } });
  const [latest] = items.sort((a: { sequence: number }, b: { sequence: number }) => b.sequence - a.sequence);
  if (!latest) throw new Error(`There is no event ${type} of ${objectId}.`);
  return (await partner.api.ok(`/events/${latest.id}`)).data.object;
}

function expectParity(body: Body, answer: Body, leftOut: string[] = []): void {
  expect(Object.keys(answer)).toEqual(expect.arrayContaining(leftOut));
  expect(body).toEqual(Object.fromEntries(Object.entries(answer).filter(([name]) => !leftOut.includes(name))));
}

describe('the object of an event is what GET answers at that moment', () => {
  test.each(eventTypes)('%s', async (type) => {
    const { change, leftOut } = rows[type];
    const { objectId, answer } = await change();
    expectParity(await bodyOf(type, objectId), answer, leftOut);
  });

  test('subscription/created, while its first charge is in progress', async () => {
    const metadata = { charged: 'at once' };
    const { objectId, answer } = await whileCharging(
      () => subscribe('tok_visa', { metadata }),
      async () => {
        const { items } = await account.api.ok('/subscriptions/list', { filters: { status: ['incomplete'] } });
        const charged = items.find((item: Body) => JSON.stringify(item['metadata']) === JSON.stringify(metadata));
        return readSubscription(charged.id);
      },
    );
    expect(answer).toMatchObject({ status: 'incomplete', metadata });
    expectParity(await bodyOf('subscription/created', objectId), answer);
  });

  test('plugin/configUpdated of a deployment', async () => {
    const id = await deploy('2.0.0');
    await account.api.ok('/plugins/v2/deployment/sync-config', {
      deploymentId: id,
      presets: { light: { color: '#ffffff' } },
    });
    const { answer } = await readDeployment(id);
    expectParity(await bodyOf('plugin/configUpdated', id), answer, rows['plugin/deployed'].leftOut);
  });

  test('webhook/test', async () => {
    const to = await startReceiver();
    const { id } = await account.api.ok('/webhooks', { url: to.url, eventTypes: ['customer/created'] });
    await account.api.ok(`/webhooks/${id}/test`, {});
    await deliverWebhooks(platform.services);
    await to.close();
    expect(to.received[0]?.event).toMatchObject({ type: 'webhook/test' });
    expectParity(to.received[0]?.event.data.object ?? {}, await account.api.ok(`/webhooks/${id}`));
    expect(schemaProblems(to.received[0]?.event as Body)).toEqual([]);
  });
});

/** How a message differs from the `webhooks` of the OpenAPI document. */
function schemaProblems(event: Body): unknown[] {
  const message = openApi.webhooks[String(event['type'])];
  if (!message) return [`${event['type']} is not documented`];
  const { $ref } = message.post.requestBody.content['application/json'].schema;
  return ajv.validate(`openapi${$ref}`, event) ? [] : [event['type'], ...(ajv.errors ?? [])];
}

test('the name of every type of event is of two words in camelCase', () => {
  expect(eventTypes.filter((type) => !/^[a-z]+([A-Z][a-z]+)*\/[a-z]+([A-Z][a-z]+)*$/.test(type))).toEqual([]);
});

test('the OpenAPI document describes the message of every type of event', async () => {
  const events = await platform.services.prisma.event.findMany({ select: { id: true, type: true } });
  const byType = new Map(events.map(({ id, type }) => [type, id]));
  expect([...byType.keys()].sort()).toEqual([...eventTypes].sort());
  const bodies = await Promise.all([...byType.values()].map((id) => partner.api.ok(`/events/${id}`)));
  expect(bodies.flatMap(schemaProblems)).toEqual([]);
});

test('a stored column that no list of fields names appears in no event', async () => {
  await account.charge();
  const { rows: stored } = await platform.services.pool.query<{ n: number }>(
    'SELECT count(*) AS n FROM customers WHERE unlisted = $1',
    ['internal'],
  );
  expect(Number(stored[0]?.n)).toBeGreaterThan(0);
  const events = await platform.services.prisma.event.findMany({ select: { data: true } });
  expect(events.filter(({ data }) => JSON.stringify(data).includes('unlisted'))).toEqual([]);
});
