import type { operations } from './openapi.ts';

type Name = keyof operations;
type Path = `/${string}`;

/**
 * One operation of the API: its name in the OpenAPI document, its method and path, and its kind.
 *
 * - `read`: nothing is sent but the path.
 * - `list`: the filters are sent; the answer is a page.
 * - `write`: a body is sent, with an `Idempotency-Key`.
 * - `action`: no body is sent, but an `Idempotency-Key`.
 */
export interface Endpoint {
  readonly operation: Name;
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: Path;
  readonly kind: 'read' | 'list' | 'write' | 'action';
}

type Of<Operation extends Name, Method extends Endpoint['method'], Kind extends Endpoint['kind']> = {
  readonly operation: Operation;
  readonly method: Method;
  readonly path: Path;
  readonly kind: Kind;
};

const get = <O extends Name>(operation: O, path: Path): Of<O, 'GET', 'read'> => {
  return { operation, method: 'GET', path, kind: 'read' };
};
const list = <O extends Name>(operation: O, path: Path): Of<O, 'POST', 'list'> => {
  return { operation, method: 'POST', path, kind: 'list' };
};
const post = <O extends Name>(operation: O, path: Path): Of<O, 'POST', 'write'> => {
  return { operation, method: 'POST', path, kind: 'write' };
};
const put = <O extends Name>(operation: O, path: Path): Of<O, 'PUT', 'write'> => {
  return { operation, method: 'PUT', path, kind: 'write' };
};
const act = <O extends Name>(operation: O, path: Path): Of<O, 'POST', 'action'> => {
  return { operation, method: 'POST', path, kind: 'action' };
};
const remove = <O extends Name>(operation: O, path: Path): Of<O, 'DELETE', 'action'> => {
  return { operation, method: 'DELETE', path, kind: 'action' };
};

/** Every operation that a server calls, by the name a client calls it by. `test/sdk/` compares it with the document. */
export const resources = {
  auth: {
    test: get('AuthTest', '/auth/test'),
  },
  accounts: {
    create: post('CreateAccount', '/accounts'),
    get: get('GetAccount', '/accounts/{platformAccountId}'),
    update: put('UpdateAccount', '/accounts/{platformAccountId}'),
    list: list('ListAccounts', '/accounts/list'),
  },
  apiKeys: {
    create: post('CreateApiKey', '/accounts/{platformAccountId}/api-keys'),
    list: list('ListApiKeys', '/accounts/{platformAccountId}/api-keys/list'),
    revoke: act('RevokeApiKey', '/api-keys/{keyId}/revoke'),
  },
  kyb: {
    get: get('DescribeKyb', '/accounts/{platformAccountId}/kyb'),
    submit: post('SubmitKyb', '/accounts/{platformAccountId}/kyb/submit'),
  },
  stores: {
    create: post('CreateStore', '/stores/create'),
    update: put('UpdateStore', '/stores/{storeId}'),
    list: list('ListStores', '/stores/list'),
  },
  customers: {
    create: post('CreateCustomer', '/customers/create'),
    get: get('GetCustomer', '/customers/{customerId}'),
    data: get('GetCustomerData', '/customers/{customerId}/data'),
    update: put('UpdateCustomer', '/customers/{customerId}'),
    delete: remove('DeleteCustomer', '/customers/{customerId}'),
    list: list('ListCustomers', '/customers/list'),
  },
  paymentInstruments: {
    tokenize: post('TokenizeCard', '/payment-instruments/tokenize'),
    createFromToken: post('CreatePaymentInstrument', '/payment-instruments/create-from-token'),
    get: get('GetPaymentInstrument', '/payment-instruments/{paymentInstrumentId}'),
    setDefault: act('SetDefaultPaymentInstrument', '/payment-instruments/{paymentInstrumentId}/set-default'),
    delete: remove('DeletePaymentInstrument', '/payment-instruments/{paymentInstrumentId}'),
    list: list('ListPaymentInstruments', '/payment-instruments/list'),
    clientSessions: {
      create: post('CreateClientSession', '/payment-instruments/client-sessions'),
      get: get('GetClientSession', '/payment-instruments/client-sessions/{clientSessionId}'),
    },
  },
  payments: {
    process: post('ProcessPayment', '/payments/process'),
    continue: post('ContinuePayment', '/payments/continue'),
    capture: post('CapturePayment', '/payments/capture'),
    void: post('VoidPayment', '/payments/void'),
    refund: post('RefundPayment', '/payments/refund'),
    get: get('GetPayment', '/payments/{paymentId}'),
    list: list('ListPayments', '/payments'),
  },
  orders: {
    create: post('CreateOrder', '/orders/create'),
    get: get('GetOrder', '/orders/{orderId}'),
    cancel: post('CancelOrder', '/orders/cancel'),
    list: list('ListOrders', '/orders/list'),
  },
  products: {
    create: post('CreateProduct', '/products/create'),
    list: list('ListProducts', '/products/list'),
  },
  subscriptions: {
    create: post('CreateSubscription', '/subscriptions/create'),
    get: get('GetSubscription', '/subscriptions/{subscriptionId}'),
    update: post('UpdateSubscription', '/subscriptions/update'),
    pause: post('PauseSubscription', '/subscriptions/pause'),
    resume: post('ResumeSubscription', '/subscriptions/resume'),
    rebill: post('RebillSubscription', '/subscriptions/rebill'),
    cancel: post('CancelSubscription', '/subscriptions/cancel'),
    list: list('ListSubscriptions', '/subscriptions/list'),
  },
  blockRules: {
    create: post('CreateBlockRule', '/block-rules'),
    get: get('GetBlockRule', '/block-rules/{blockRuleId}'),
    update: put('UpdateBlockRule', '/block-rules/{blockRuleId}'),
    delete: remove('DeleteBlockRule', '/block-rules/{blockRuleId}'),
    list: list('ListBlockRules', '/block-rules/list'),
  },
  processors: {
    create: post('CreateProcessor', '/processors/create'),
    update: put('UpdateProcessor', '/processors/{processorId}'),
    list: list('ListProcessors', '/processors/list'),
    connect: post('InitiateCardprocessorConnect', '/processors/cardprocessor-connect/initiate'),
  },
  paymentFlows: {
    create: post('CreatePaymentFlow', '/payment-flows/create'),
    update: put('UpdatePaymentFlow', '/payment-flows/{paymentFlowId}'),
    delete: remove('DeletePaymentFlow', '/payment-flows/{paymentFlowId}'),
    list: list('ListPaymentFlows', '/payment-flows/list'),
  },
  disputes: {
    get: get('GetDispute', '/disputes/{disputeId}'),
    list: list('ListDisputes', '/disputes/list'),
  },
  events: {
    get: get('GetEvent', '/events/{eventId}'),
    list: list('ListEvents', '/events/list'),
  },
  webhooks: {
    create: post('CreateWebhookEndpoint', '/webhooks'),
    get: get('GetWebhookEndpoint', '/webhooks/{webhookId}'),
    update: put('UpdateWebhookEndpoint', '/webhooks/{webhookId}'),
    delete: remove('DeleteWebhookEndpoint', '/webhooks/{webhookId}'),
    list: list('ListWebhookEndpoints', '/webhooks/list'),
    rotateSecret: act('RotateWebhookSecret', '/webhooks/{webhookId}/rotate-secret'),
    test: act('TestWebhookEndpoint', '/webhooks/{webhookId}/test'),
    redeliver: act('RedeliverWebhook', '/webhooks/deliveries/{deliveryId}/redeliver'),
    redeliverSince: post('RedeliverWebhooksSince', '/webhooks/{webhookId}/redeliver'),
    deliveries: {
      list: list('ListWebhookDeliveries', '/webhooks/{webhookId}/deliveries/list'),
    },
  },
  funnels: {
    create: post('CreateFunnel', '/funnels'),
    get: get('GetFunnel', '/funnels/{funnelId}'),
    update: put('UpdateFunnel', '/funnels/{funnelId}'),
    delete: remove('DeleteFunnel', '/funnels/{funnelId}'),
    list: list('ListFunnels', '/funnels/list'),
    figures: get('GetFunnelFigures', '/funnels/{funnelId}/figures'),
  },
  funnelSessions: {
    create: post('CreateFunnelSession', '/funnel-sessions'),
    get: get('GetFunnelSession', '/funnel-sessions/{sessionId}'),
    next: post('NextFunnelStep', '/funnel-sessions/{sessionId}/next'),
  },
  plugins: {
    deploy: post('DeployPlugin', '/plugins/v2/deploy'),
    deployments: {
      get: get('GetPluginDeployment', '/plugins/v2/deployment/{deploymentId}'),
      delete: remove('DeletePluginDeployment', '/plugins/v2/deployment/{deploymentId}'),
      syncConfig: post('SyncPluginConfig', '/plugins/v2/deployment/sync-config'),
      list: list('ListPluginDeployments', '/plugins/v2/deployments/list'),
    },
    instances: {
      create: post('CreatePluginInstance', '/plugins/v2/instance/create'),
      get: get('GetPluginInstance', '/plugins/v2/instance/{deploymentInstanceId}'),
      delete: remove('DeletePluginInstance', '/plugins/v2/instance/{deploymentInstanceId}'),
      list: list('ListPluginInstances', '/plugins/v2/instances/list'),
      mount: post('MountPluginInstance', '/plugins/v2/instance/mount'),
      unmount: post('UnmountPluginInstance', '/plugins/v2/instance/unmount'),
      updateConfig: post('UpdatePluginInstanceConfig', '/plugins/v2/instance/config'),
      rollBackConfig: post('RollBackPluginConfig', '/plugins/v2/instance/rollback'),
      listConfigurations: list('ListPluginConfigurations', '/plugins/v2/instance/configurations/list'),
    },
  },
  testClocks: {
    create: post('CreateTestClock', '/test-clocks/create'),
    get: get('GetTestClock', '/test-clocks/{testClockId}'),
    advance: post('AdvanceTestClock', '/test-clocks/{testClockId}/advance'),
    list: list('ListTestClocks', '/test-clocks/list'),
  },
  testDisputes: {
    create: post('OpenTestDispute', '/test-disputes/create'),
    advance: post('AdvanceTestDispute', '/test-disputes/{disputeId}/advance'),
  },
} as const;

/** What no server calls: the processor sends the visitor's browser there. */
export const forBrowsers: readonly string[] = ['FinishCardprocessorConnect'];
