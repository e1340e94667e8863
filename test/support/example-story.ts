import { type Endpoint, loadEndpoints } from '../../rest/engine/endpoint.ts';
import type { Example } from '../../rest/openapi/operation.ts';
import type { manualClock } from '../../src/lib/clock.ts';
import { schema } from '../../src/schema.ts';
import { demoNames } from '../../src/settings/demo-credentials.ts';
import type { Client } from './client.ts';
import { stableWriter } from './examples.ts';

/** The start time of the example. */
export const storyBegins = new Date('2026-01-15T10:00:00.000Z');

/** Every endpoint of the two surfaces documented for partners, by name, with the prefix of its path. */
export const shownEndpoints = new Map<string, { endpoint: Endpoint; root: string }>(
  (['public', 'plugins'] as const).flatMap((surface) =>
    loadEndpoints(schema, surface).map(
      (endpoint) => [endpoint.name, { endpoint, root: surface === 'plugins' ? '/plugins' : '' }] as const,
    ),
  ),
);

const page = { page: 1, pageSize: 20 };
const newest = { field: 'createdAt', direction: 'desc' };
const address = {
  firstName: 'Ada',
  lastName: 'Lovelace',
  line1: '12 St James Square',
  city: 'London',
  postalCode: 'SW1Y 4JH',
  country: 'GB',
};

/** Onboards a merchant and uses every endpoint once. Returns the requests and answers by the endpoint's name. */
export async function runExampleStory({
  url,
  api,
  clock,
}: {
  url: string;
  api: Client;
  clock: ReturnType<typeof manualClock>;
}): Promise<Record<string, Example>> {
  const examples: Record<string, Example> = {};
  const stable = stableWriter(url);
  const tell = async (
    name: string,
    { params = {}, body }: { params?: Record<string, string>; body?: unknown } = {},
  ) => {
    const shown = shownEndpoints.get(name);
    if (!shown) throw new Error(`There is no endpoint ${name}.`);
    clock.advance(1000);
    const { method, path } = shown.endpoint;
    const address = shown.root + path.replace(/:(\w+)/g, (_all, param: string) => params[param] ?? `no ${param}`);
    const answer = await api.ok(address, body, { method, headers: { 'Request-Id': `req_${name}` } });
    examples[name] = {
      ...(Object.keys(params).length > 0 && { params: stable(params) as Record<string, string> }),
      ...(body !== undefined && { body: stable(body) }),
      answer: stable(answer),
    }; // strings are not changed
    return answer;
  };

  await tell('AuthTest');
  const account = await tell('CreateAccount', {
    body: {
      legalName: 'Corner Shop',
      country: 'US',
      currency: 'USD',
      externalRef: demoNames.merchant.externalRef,
      metadata: { region: 'west' },
    },
  });
  const [platformAccountId, storeId] = [account.id, account.stores[0].id];
  await tell('UpdateAccount', { params: { platformAccountId }, body: { legalName: demoNames.merchant.legalName } });
  await tell('GetAccount', { params: { platformAccountId } });
  await tell('ListAccounts', {
    body: {
      ...page,
      sortBy: { field: 'legalName', direction: 'asc' },
      filters: { status: ['active'], legalName: { condition: 'contains', value: 'shop' } },
    },
  });
  await tell('SubmitKyb', {
    params: { platformAccountId },
    body: {
      items: [
        { code: 'business.legal_name', value: demoNames.merchant.legalName },
        { code: 'business.website', value: 'https://shop.example.com' },
      ],
    },
  });
  await tell('DescribeKyb', { params: { platformAccountId } });
  const key = await tell('CreateApiKey', {
    params: { platformAccountId },
    body: { label: 'shop server', allowedIps: ['203.0.113.0/24'] },
  });
  await tell('ListApiKeys', { params: { platformAccountId }, body: { ...page, filters: { status: ['active'] } } });
  await tell('RevokeApiKey', { params: { keyId: key.id } });

  await tell('CreateStore', {
    body: {
      platformAccountId,
      name: 'Corner Shop Europe',
      type: 'platform',
      baseCurrency: 'EUR',
      presentmentCurrencies: ['EUR', 'GBP'],
      chargeCurrencies: ['EUR'],
    },
  });
  await tell('UpdateStore', { params: { storeId }, body: { name: demoNames.store } });
  await tell('ListStores', {
    body: { ...page, sortBy: { field: 'name', direction: 'asc' }, filters: { baseCurrency: ['EUR', 'USD'] } },
  });

  const customer = await tell('CreateCustomer', {
    body: {
      storeId,
      ...demoNames.customer,
      tags: ['plan:gold'],
      billingAddress: address,
    },
  });
  const customerId = customer.id;
  await tell('UpdateCustomer', {
    params: { customerId },
    body: { phone: '+44 20 7946 0000', metadata: { loyalty: 7 } },
  });
  const { token } = await tell('TokenizeCard', {
    body: {
      storeId,
      cardNumber: '4242424242424242',
      expMonth: 12,
      expYear: 2035,
      cvc: '123',
      cardholderName: 'Ada Lovelace',
    },
  });
  const { paymentInstrument } = await tell('CreatePaymentInstrument', { body: { storeId, token, customerId } });
  const paymentInstrumentId = paymentInstrument.id;
  await tell('GetPaymentInstrument', { params: { paymentInstrumentId } });
  await tell('SetDefaultPaymentInstrument', { params: { paymentInstrumentId } });
  await tell('ListPaymentInstruments', { body: { ...page, filters: { customerId, isActive: true } } });

  const clientSession = await tell('CreateClientSession', {
    body: { storeId, customerId, amount: 2500, currency: 'USD', origins: ['https://shop.example.com'] },
  });
  await tell('GetClientSession', { params: { clientSessionId: clientSession.id } });

  const order = await tell('CreateOrder', {
    body: {
      storeId,
      customerId,
      currency: 'USD',
      items: [{ ...demoNames.mug, quantity: 2 }],
      metadata: { basket: 'b-77' },
    },
  });
  const orderId = order.id;
  const charge = { storeId, paymentInstrumentId, currency: 'USD' };
  await tell('ProcessPayment', { body: { ...charge, amount: 2500, metadata: { cart: 'b-76' } } });
  const paymentId = (
    await api.ok(
      '/payments/process',
      { ...charge, amount: 2500, orderId, metadata: { cart: 'b-77' } },
      { headers: { 'Request-Id': 'req_ProcessPayment' } },
    )
  ).payment.id;
  await tell('GetPayment', { params: { paymentId } });
  await tell('GetOrder', { params: { orderId } });
  const hold = async (): Promise<string> =>
    (await api.ok('/payments/process', { ...charge, amount: 5000, mode: 'auth' })).payment.id;
  await tell('CapturePayment', { body: { paymentId: await hold(), amount: 3000 } });
  await tell('VoidPayment', { body: { paymentId: await hold() } });
  const challenged = await api.ok('/payments/process', { ...charge, amount: 4900, threeDs: 'force' });
  const { threedsSessionId } = challenged.payment.requireActionData;
  await fetch(`${url}/test/3ds/${threedsSessionId}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: '{"outcome":"success"}',
  });
  await tell('ContinuePayment', { body: { paymentId: challenged.payment.id } });
  await tell('RefundPayment', { body: { paymentId, amount: 1000, reason: 'one came back' } });
  await tell('ListPayments', {
    body: {
      pagination: { page: 1, pageSize: 2 },
      sortBy: newest,
      filters: {
        status: ['succeeded', 'partially_refunded'],
        currency: ['USD'],
        createdAt: { condition: 'is-after-date', value: ['2026-01-01'] },
      },
    },
  });
  await tell('ListOrders', {
    body: {
      pagination: page,
      sortBy: { field: 'amount', direction: 'desc' },
      filters: { status: ['paid', 'partially_refunded'] },
    },
  });
  await tell('GetCustomer', { params: { customerId } });
  await tell('ListCustomers', {
    body: {
      ...page,
      sortBy: newest,
      filters: {
        email: { condition: 'contains', value: '@example.com' },
        createdAt: { condition: 'is-between-date', value: ['2026-01-01', '2026-01-31'] },
      },
    },
  });

  const dispute = await tell('OpenTestDispute', {
    body: { paymentId: challenged.payment.id, amount: 4900, reason: 'product_not_received' },
  });
  await tell('AdvanceTestDispute', { params: { disputeId: dispute.id }, body: { status: 'won' } });
  await tell('GetDispute', { params: { disputeId: dispute.id } });
  await tell('ListDisputes', { body: { ...page, filters: { status: ['won', 'lost'] } } });

  const rule = await tell('CreateBlockRule', {
    body: { storeId, name: 'Tried too often', ipAddress: '203.0.113.7', ttlHours: 48 },
  });
  await tell('UpdateBlockRule', { params: { blockRuleId: rule.id }, body: { isPermanent: true } });
  await tell('GetBlockRule', { params: { blockRuleId: rule.id } });
  await tell('ListBlockRules', { body: { pagination: page, sortBy: { field: 'name', direction: 'asc' } } });
  await tell('DeleteBlockRule', { params: { blockRuleId: rule.id } });

  const testClock = await tell('CreateTestClock', {
    body: { storeId, name: 'A year', now: '2026-01-31T10:00:00.000Z' },
  });
  await tell('AdvanceTestClock', { params: { testClockId: testClock.id }, body: { to: '2026-03-01T10:00:00.000Z' } });
  await tell('GetTestClock', { params: { testClockId: testClock.id } });
  await tell('ListTestClocks', { body: { ...page, filters: { status: ['ready'] } } });

  const product = await tell('CreateProduct', {
    body: {
      storeId,
      name: demoNames.club.name,
      description: demoNames.club.description,
      prices: [{ currency: 'USD', amount: demoNames.club.monthlyAmount, interval: 'month' }],
    },
  });
  await tell('ListProducts', { body: { ...page, filters: { name: { condition: 'starts-with', value: 'coffee' } } } });
  const subscription = await tell('CreateSubscription', {
    body: { customerId, priceId: product.prices[0].id, quantity: 1 },
  });
  const subscriptionId = subscription.id;
  await tell('UpdateSubscription', { body: { subscriptionId, quantity: 2, prorate: true } });
  await tell('PauseSubscription', { body: { subscriptionId, resumeAt: '2026-04-01T00:00:00.000Z' } });
  await tell('ResumeSubscription', { body: { subscriptionId } });
  await tell('RebillSubscription', { body: { subscriptionId } });
  await tell('GetSubscription', { params: { subscriptionId } });
  await tell('ListSubscriptions', { body: { ...page, filters: { status: ['active', 'past_due'] } } });
  await tell('CancelSubscription', { body: { subscriptionId, cancelAtPeriodEnd: true } });

  const processor = await tell('CreateProcessor', {
    body: { storeId, name: 'Second test processor', type: 'test', supportedCurrencies: ['USD', 'EUR'] },
  });
  await tell('UpdateProcessor', {
    params: { processorId: processor.id },
    body: { options: { declineRate: 0.1, declineCode: 'insufficient_funds' } },
  });
  const stripe = await api.ok('/processors/create', { storeId, name: 'Their own account', type: 'stripe' });
  await tell('InitiateCardprocessorConnect', {
    body: { processorId: stripe.id, returnUrl: 'https://shop.example.com/connected', isFromOnboarding: false },
  });
  const [first] = (await tell('ListProcessors', { body: { ...page, filters: { type: ['test'], enabled: true } } }))
    .items;
  const flow = await tell('CreatePaymentFlow', {
    body: {
      storeId,
      name: demoNames.flow,
      strategy: 'cascade',
      processors: [{ processorId: processor.id, weight: 1 }],
      fallbacks: [{ processorId: first.id, order: 1 }],
      maxRetries: 1,
    },
  });
  await tell('UpdatePaymentFlow', { params: { paymentFlowId: flow.id }, body: { sticky: true } });
  await tell('ListPaymentFlows', { body: { ...page, filters: { strategy: ['cascade'] } } });
  await tell('DeletePaymentFlow', { params: { paymentFlowId: flow.id } });

  const nodes = [
    { id: 'start', type: 'landing', isEntry: true },
    {
      id: 'pay',
      type: 'checkout',
      config: { currency: 'USD', items: [{ ...demoNames.course, quantity: 1 }] },
    },
    { id: 'thanks', type: 'thankyou', isConversion: true },
  ];
  const edges = [
    { source: 'start', target: 'pay' },
    { source: 'pay', target: 'thanks', condition: { when: 'payment_succeeded' } },
  ];
  const funnel = await tell('CreateFunnel', { body: { storeId, name: 'Course', isDefault: true, nodes, edges } });
  const funnelId = funnel.id;
  await tell('UpdateFunnel', { params: { funnelId }, body: { name: 'Course, spring' } });
  await tell('GetFunnel', { params: { funnelId } });
  await tell('ListFunnels', { body: { ...page, filters: { isDefault: true } } });
  const session = await tell('CreateFunnelSession', { body: { storeId, funnelId, customerId } });
  const { sessionId } = await tell('NextFunnelStep', {
    params: { sessionId: session.id },
    body: { event: { id: 'click-1', type: 'clicked' } },
  });
  await tell('GetFunnelSession', { params: { sessionId } });
  await tell('GetFunnelFigures', { params: { funnelId } });
  await tell('DeleteFunnel', { params: { funnelId } });

  const html = Buffer.from(
    '<!doctype html><html><head><title>Shop</title></head><body><h1>Hello</h1></body></html>',
  ).toString('base64');
  const configuration = {
    schema: { type: 'object', properties: { color: { type: 'string' } }, additionalProperties: false },
  };
  const manifest = {
    pluginId: 'my-checkout',
    name: 'My checkout',
    version: '1.0.0',
    pages: [{ path: '/checkout', name: 'Checkout', isDefault: true }],
    configuration,
  };
  const deployed = await tell('DeployPlugin', {
    body: {
      storeId,
      manifest,
      inlineAssets: [{ path: 'index.html', content: html, contentType: 'text/html' }],
      presets: { default: { color: '#1a56db' } },
    },
  });
  const deploymentId = deployed.deploymentId;
  const instance = await tell('CreatePluginInstance', {
    body: { deploymentId, storeId, name: 'Spring', presetName: 'default' },
  });
  const place = { deploymentInstanceId: instance.id, storeId };
  await tell('MountPluginInstance', { body: { ...place, alias: 'shop' } });
  await tell('UpdatePluginInstanceConfig', { body: { ...place, config: { color: '#c2185b' } } });
  await tell('SyncPluginConfig', { body: { deploymentId, presets: { default: { color: '#000000' } } } });
  await tell('ListPluginConfigurations', { body: { deploymentInstanceId: instance.id, ...page } });
  await tell('RollBackPluginConfig', { body: { ...place, version: 1 } });
  await tell('GetPluginInstance', { params: { deploymentInstanceId: instance.id } });
  await tell('ListPluginInstances', { body: { ...page, filters: { deploymentId } } });
  await tell('GetPluginDeployment', { params: { deploymentId } });
  await tell('ListPluginDeployments', { body: { ...page, filters: { pluginId: ['my-checkout'] } } });
  await tell('UnmountPluginInstance', { body: { ...place, alias: 'shop' } });
  await tell('DeletePluginInstance', { params: { deploymentInstanceId: instance.id } });
  await tell('DeletePluginDeployment', { params: { deploymentId } });

  // By IP address, since tests send no DNS queries.
  const webhook = await tell('CreateWebhookEndpoint', {
    body: {
      storeId,
      url: 'https://93.184.216.34/hooks',
      eventTypes: ['payment/succeeded', 'payment/refunded'],
      description: demoNames.endpoint,
    },
  });
  const webhookId = webhook.id;
  await tell('UpdateWebhookEndpoint', { params: { webhookId }, body: { ordered: true } });
  await tell('TestWebhookEndpoint', { params: { webhookId } });
  const [delivery] = (
    await tell('ListWebhookDeliveries', { params: { webhookId }, body: { ...page, filters: { status: ['pending'] } } })
  ).items;
  await tell('RedeliverWebhook', { params: { deliveryId: delivery.id } });
  await tell('RedeliverWebhooksSince', { params: { webhookId }, body: { since: '2026-01-15T00:00:00.000Z' } });
  await tell('RotateWebhookSecret', { params: { webhookId } });
  await tell('GetWebhookEndpoint', { params: { webhookId } });
  await tell('ListWebhookEndpoints', { body: { ...page, filters: { enabled: true } } });
  await tell('DeleteWebhookEndpoint', { params: { webhookId } });
  const [event] = (
    await tell('ListEvents', {
      body: { pageSize: 2, filters: { type: ['payment/succeeded', 'payment/refunded'], objectId: paymentId } },
    })
  ).items;
  await tell('GetEvent', { params: { eventId: event.id } });
  // One payment: payments of the same time are in no fixed order.
  const customerData = { email: 'former@example.com', firstName: 'Grace', billingAddress: address };
  const card = { storeId, token: 'tok_visa', customerData };
  const { paymentInstrument: last, customer: former } = await api.ok('/payment-instruments/create-from-token', card);
  await api.ok('/payments/process', { ...charge, paymentInstrumentId: last.id, amount: 1900, billingAddress: address });
  await tell('GetCustomerData', { params: { customerId: former.id } });
  await tell('DeleteCustomer', { params: { customerId: former.id } });
  await tell('DeletePaymentInstrument', {
    params: {
      paymentInstrumentId: (
        await api.ok('/payment-instruments/create-from-token', { storeId, token: 'tok_mastercard', customerId })
      ).paymentInstrument.id,
    },
  });

  const unwanted = await api.ok('/orders/create', {
    storeId,
    currency: 'USD',
    items: [{ ...demoNames.mug, quantity: 1 }],
  });
  await tell('CancelOrder', { body: { orderId: unwanted.id } });
  return examples;
}
