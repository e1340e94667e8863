import type { GraphQLField } from 'graphql';
import { beforeAll, describe, expect, test } from 'vitest';
import { scopesAllow } from '../../src/auth/scopes.ts';
import type { Client } from '../support/client.ts';
import {
  documentOf,
  endpoints,
  restSlotsOf,
  rootFields,
  slotsOf,
  smallestValue,
  takesId,
  withLeaf,
} from '../support/operations.ts';
import { usePlatform } from '../support/platform.ts';
import { disableRateLimits } from '../support/rates.ts';
import { type SeededAccount, type SeededPartner, seedPartner } from '../support/seed.ts';

/** One tenant with a row of every kind, each containing a string that no other tenant may see. */
interface Tenant {
  partner: SeededPartner;
  account: SeededAccount;
  marker: string;
  /** By the name of the field that accepts it. */
  ids: Record<string, string>;
}

const webhookUrl = 'https://93.184.216.34/hook';

const platform = await usePlatform();
await disableRateLimits(platform);
const partner = await seedPartner(platform);
const own: Tenant = await fill(partner, 'markown');
const live = await seedPartner(platform, 'live', partner.id);
const others: Tenant[] = [
  await fill(live, 'marklive'),
  await fill(await seedPartner(platform), 'markother'),
  await fill(partner, 'marksibling'),
];

async function fill(partner: SeededPartner, marker: string): Promise<Tenant> {
  const account = await partner.account(`${marker} Ltd`);
  const { api, storeId } = account;
  const metadata = { note: marker };
  await partner.api.ok(`/accounts/${account.id}`, { metadata }, { method: 'PUT' });
  const card = partner.mode === 'test' ? '4242424242424242' : '4111111111111111';
  const tokenize = () =>
    api.ok('/payment-instruments/tokenize', { storeId, cardNumber: card, expMonth: 12, expYear: 2039, cvc: '123' });
  const { paymentInstrument } = await api.ok('/payment-instruments/create-from-token', {
    storeId,
    token: (await tokenize()).token,
    customerData: { email: `${marker}@example.com`, firstName: marker },
  });
  const { payment, transactions } = await api.ok('/payments/process', {
    storeId,
    paymentInstrumentId: paymentInstrument.id,
    amount: 777,
    currency: 'USD',
    metadata,
  });
  // Any URL will do: this test sends nothing.
  const webhook = await api.ok('/webhooks', { url: webhookUrl, eventTypes: ['customer/created'], description: marker });
  for (let n = 0; n < 2; n++)
    await api.ok('/customers/create', { storeId, email: `${marker}${n}@example.com`, metadata });
  const order = await api.ok('/orders/create', {
    storeId,
    currency: 'USD',
    items: [{ name: marker, quantity: 1, unitAmount: 1 }],
    metadata,
  });
  const product = await api.ok('/products/create', {
    storeId,
    name: marker,
    prices: [{ currency: 'USD', amount: 900, interval: 'month' }],
  });
  // In live mode no charge is possible, but a subscription on trial needs none.
  const subscription = await api.ok('/subscriptions/create', {
    customerId: paymentInstrument.customerId,
    priceId: product.prices[0].id,
    trialDays: 30,
    metadata,
  });
  const rule = await api.ok('/block-rules', { storeId, name: marker, ipAddress: '203.0.113.9', metadata });
  const dispute =
    partner.mode === 'test' ? await api.ok('/test-disputes/create', { paymentId: payment.id, amount: 7 }) : null;
  const funnel = await api.ok('/funnels', {
    storeId,
    name: marker,
    nodes: [{ id: 'a', type: 'landing', isEntry: true, name: marker }],
    edges: [],
  });
  const session = await api.ok('/funnel-sessions', { funnelId: funnel.id });
  const clock =
    partner.mode === 'test'
      ? await api.ok('/test-clocks/create', { storeId, name: marker, now: '2026-01-01T00:00:00Z' })
      : null;
  const plugin = await api.ok('/plugins/v2/deploy', {
    storeId,
    manifest: { pluginId: marker, name: marker, version: '1.0.0', pages: [{ path: '/' }] },
    presets: { default: { note: marker } },
    autoInstantiate: true,
  });
  await api.ok('/plugins/v2/instance/mount', { deploymentInstanceId: plugin.instance.id, storeId, alias: marker });
  const clientSession = await api.ok('/payment-instruments/client-sessions', { origins: ['https://shop.example.com'] });
  const { keyId } = await api.ok('/auth/test');
  const { nextCursor } = await api.ok('/customers/list', { pageSize: 1 });
  const { organizationAccountId } = await partner.api.ok(`/accounts/${account.id}`);
  const processor = await api.ok('/processors/create', { name: marker, type: 'stripe' });
  const flow = await api.ok('/payment-flows/create', { name: marker, processors: [{ processorId: processor.id }] });
  const event = await platform.services.pool.query('SELECT id FROM events WHERE "objectId" = $1', [payment.id]);
  const { items: deliveries } = await api.ok(`/webhooks/${webhook.id}/deliveries/list`, {});
  return {
    partner,
    account,
    marker,
    ids: {
      platformAccountId: account.id,
      organization: organizationAccountId,
      storeId,
      customerId: paymentInstrument.customerId,
      paymentInstrumentId: paymentInstrument.id,
      paymentId: payment.id,
      keyId,
      token: (await tokenize()).token,
      clientSessionId: clientSession.id,
      cursor: nextCursor,
      orderId: order.id,
      productId: product.id,
      priceId: product.prices[0].id,
      subscriptionId: subscription.id,
      blockRuleId: rule.id,
      funnelId: funnel.id,
      sessionId: session.id,
      eventId: event.rows[0].id,
      webhookId: webhook.id,
      deliveryId: deliveries[0].id,
      objectId: payment.id,
      ...(dispute && { disputeId: dispute.id }),
      deploymentId: plugin.deploymentId,
      deploymentInstanceId: plugin.instance.id,
      processorId: processor.id,
      paymentFlowId: flow.id,
      ...(clock && { testClockId: clock.id }),
      ...(transactions[0] && { transactionId: transactions[0].id }),
    },
  };
}

type CallerKind = 'subKey' | 'partnerKey';
const callerKinds: readonly CallerKind[] = ['subKey', 'partnerKey'];
const clientOfKind = (kind: CallerKind): Client => (kind === 'subKey' ? own.account.api : own.partner.api);
/** An account of the same partner is foreign to the sub-key of another account, but not to the partner's key. */
const foreignTo = (kind: CallerKind): Tenant[] =>
  kind === 'subKey' ? others : others.filter(({ marker }) => marker !== 'marksibling');

let requested = 0;

/**
 * The ids of every foreign tenant that a slot of this name accepts; for `every` kind, and for a slot of another name, all
 * ids of one tenant in turn beside them. That an id of the wrong kind is not found depends neither on its tenant, nor on
 * the caller, nor on the transport.
 */
function foreignIds(kind: CallerKind, name: string, every = false): string[] {
  const foreign = foreignTo(kind);
  const whole = requested++ % foreign.length;
  return foreign.flatMap(({ ids }, at) => {
    const id = ids[name];
    if (id !== undefined && !(every && at === whole)) return [id];
    return at === whole ? Object.values(ids) : [];
  });
}

/** Values that make a request valid, so that the foreign id is its only error. */
const known = (fieldName: string): Record<string, unknown> => ({
  nodes: [{ id: 'a', type: 'landing', isEntry: true }],
  edges: [],
  ...(fieldName === 'createFunnelSession' && { funnelId: own.ids['funnelId'] }),
  webhookId: own.ids['webhookId'],
  processorId: own.ids['processorId'],
  paymentFlowId: own.ids['paymentFlowId'],
  deliveryId: own.ids['deliveryId'],
  url: webhookUrl,
  storeId: own.ids['storeId'],
  deploymentId: own.ids['deploymentId'],
  deploymentInstanceId: own.ids['deploymentInstanceId'],
  paymentInstrumentId: own.ids['paymentInstrumentId'],
  platformAccountId: own.ids['platformAccountId'],
  token: 'tok_visa',
  cardNumber: '4242424242424242',
  origins: ['https://shop.example.com'],
  expMonth: 12,
  expYear: 2039,
  cvc: '123',
  country: 'US',
  ...(fieldName.endsWith('Subscription') && {
    customerId: own.ids['customerId'],
    priceId: own.ids['priceId'],
    subscriptionId: own.ids['subscriptionId'],
  }),
  ...(fieldName === 'createPaymentInstrument' && { customerData: { email: 'guest@example.com' } }),
});

function assertNothingForeign(text: string, foreign: readonly Tenant[], sent: string, where: string): void {
  // One expectation for an answer: one for each of a hundred ids took most of the time.
  const found = foreign.flatMap(({ marker, ids }) => [
    ...(text.includes(marker) ? [`a text of ${marker}`] : []),
    ...Object.entries(ids)
      .filter(([name, id]) => id !== sent && name !== 'cursor' && text.includes(id))
      .map(([name]) => `${name} of ${marker}`),
  ]);
  if (found.length > 0) expect.fail(`${where}: ${found.join(', ')} in ${text}`);
}

/** Every row of every table that belongs to these tenants, as one string. */
async function rowsOf(tenants: readonly Tenant[]): Promise<string> {
  const { rows } = await platform.services.pool.query<{ table: string; column: string }>(
    `SELECT format('%I.%I', table_schema, table_name) AS table, column_name AS column
      FROM information_schema.columns
      WHERE column_name = 'platformAccountId' AND table_schema IN ('public', 'vault') AND table_name <> 'api_keys'
      UNION
      SELECT 'processing_accounts', 'id'
      UNION
      SELECT 'api_keys', 'platformAccountId'
      ORDER BY 1`,
  );
  const accounts = tenants.map(({ account }) => account.id);
  const texts = await Promise.all(
    rows.map(({ table, column }) =>
      platform.services.pool.query(
        `SELECT
            coalesce(string_agg((to_jsonb(t) - 'lastUsedAt')::text, E'\\n' ORDER BY to_jsonb(t)::text), '') AS text
          FROM ${table} t
          WHERE "${column}" = ANY($1)`,
        [accounts],
      ),
    ),
  );
  return texts.map(({ rows: [row] }, index) => `${rows[index]?.table}\n${row.text}`).join('\n');
}

/** The arguments of a field that a caller of this kind must give: those that keys alone must give as well. */
function requiredOf({ name: field, args }: GraphQLField<unknown, unknown>): Record<string, unknown> {
  const ofKeys: Record<string, string> = { webhookDeliveries: 'webhookId', apiKeys: 'platformAccountId' };
  const required = args.filter(({ name, type }) => String(type).endsWith('!') || name === ofKeys[field]);
  return Object.fromEntries(required.map(({ name, type }) => [name, smallestValue(type, name, known(field))]));
}

/** Not found, empty, or for a storeId forbidden; 400 if a field is only valid together with another. */
function expectedCodes(path: readonly string[], fieldName: string): readonly string[] {
  const name = path.at(-1);
  if (name === 'storeId' && !path.includes('filters') && fieldName !== 'updateStore') return ['FORBIDDEN'];
  if (name === 'cursor') return ['INPUT_PARSE_ERROR', 'none'];
  if (path.includes('filters')) return ['none'];
  if (fieldName === 'processPayment' && name === 'customerId') return ['INPUT_PARSE_ERROR'];
  if (fieldName === 'createPaymentInstrument' && name === 'customerId') return ['NOT_FOUND', 'INPUT_PARSE_ERROR'];
  // The invalid entry of a list is reported like any other invalid value.
  if (name === 'processorId' && (path.includes('processors') || path.includes('fallbacks')))
    return ['INPUT_PARSE_ERROR'];
  // An argument of people: an API key names a store.
  if (['createBlockRule', 'createTestClock'].includes(fieldName) && name === 'platformAccountId')
    return ['INPUT_PARSE_ERROR'];
  if (fieldName === 'createStore' && name === 'platformAccountId') return ['NOT_FOUND'];
  return ['NOT_FOUND', 'PAYMENT_NOT_FOUND'];
}

const key = { keyId: 'ak_1', keyPrefix: 'tp_sk_test_1' } as const;
const tenant = { partnerId: 'par_1', mode: 'test' } as const;

describe.each(callerKinds)('isolation: what a %s receives of other tenants and the other mode', (kind) => {
  let before: string;
  beforeAll(async () => {
    before = await rowsOf(foreignTo(kind));
    expect(before).toContain('markother');
  });

  const allowed = <Entry extends { scopes: object }>(entries: readonly Entry[]) =>
    entries.filter(({ scopes }) =>
      scopesAllow(
        scopes,
        kind === 'partnerKey'
          ? { kind, ...key, tenant }
          : { kind, ...key, tenant: { ...tenant, platformAccountId: 'tpa_1' } },
      ),
    );

  test('REST: a foreign id in every slot of every endpoint returns no data, for a sub-key of every kind', async () => {
    const covered = new Set<string>();
    for (const endpoint of allowed(endpoints)) {
      const fieldName = endpoint.field.name;
      const inputs = endpoint.variables;
      const base = Object.fromEntries(
        inputs
          .filter(({ name, type }) => String(type).endsWith('!') || endpoint.pathParams.includes(name))
          .map(({ name, type }) => [name, smallestValue(type, name, known(fieldName))]),
      );
      for (const slot of restSlotsOf(inputs).filter(takesId)) {
        await Promise.all(
          foreignIds(kind, slot.path.at(-1) ?? '', kind === 'subKey').map(async (id) => {
            const prepared =
              slot.path.at(-1) === 'customerId' && fieldName === 'createPaymentInstrument' && slot.path.length === 2
                ? { ...base, body: { token: 'tok_visa', storeId: own.ids['storeId'] } }
                : base;
            const variables = withLeaf(inputs, prepared, slot, id, known(fieldName));
            const path = endpoint.path.replace(/:(\w+)/g, (_all, name: string) =>
              encodeURIComponent(String(variables[name])),
            );
            const body =
              endpoint.body.wholeAs === null
                ? Object.fromEntries(Object.entries(variables).filter(([name]) => !endpoint.pathParams.includes(name)))
                : variables[endpoint.body.wholeAs];
            const where = `${endpoint.method} ${path} ${JSON.stringify(body)}`;
            const answer = await clientOfKind(kind).call(
              path,
              endpoint.method === 'GET' || endpoint.method === 'DELETE' ? undefined : body,
              { method: endpoint.method },
            );
            const text = JSON.stringify(answer.body);
            assertNothingForeign(text, foreignTo(kind), id, where);
            expect(expectedCodes(slot.path, fieldName), `${where} ${text}`).toContain(
              answer.status === 200 ? 'none' : answer.body.code,
            );
            if (answer.status === 200 && slot.path.at(-1) !== 'cursor') expect(answer.body.total, where).toBe(0);
            covered.add(`${endpoint.name} ${slot.path.join('.')}`);
          }),
        );
      }
    }
    expect(covered.size).toBeGreaterThan(15);
  }, 120_000);

  test('GraphQL: a foreign id in every argument of every root field returns no data, at any depth', async () => {
    for (const root of allowed(rootFields)) {
      const { field } = root;
      // All fields of its lists, or of a default page, would be above the bound of complexity.
      const query =
        field.name === 'customerData'
          ? 'query ($customerId: ID!) { customerData(customerId: $customerId) { customer { id email } } }'
          : documentOf(root);
      const page = field.args.some(({ name }) => name === 'pageSize') ? { pageSize: 5 } : {};
      const base = { ...page, ...requiredOf(field) };
      for (const slot of slotsOf(field.args).filter(takesId)) {
        await Promise.all(
          foreignIds(kind, slot.path.at(-1) ?? '').map(async (id) => {
            const prepared =
              slot.path.at(-1) === 'customerId' && field.name === 'createPaymentInstrument'
                ? { input: { token: 'tok_visa', storeId: own.ids['storeId'] } }
                : base;
            const variables = withLeaf(field.args, prepared, slot, id, known(field.name));
            const { data, errors } = await clientOfKind(kind).graphql(query, variables);
            const where = `${field.name} ${JSON.stringify(variables)}`;
            assertNothingForeign(JSON.stringify({ data, errors }), foreignTo(kind), id, where);
            expect(expectedCodes(slot.path, field.name), `${where} ${JSON.stringify({ data, errors })}`).toContain(
              errors?.[0]?.extensions.code ?? 'none',
            );
          }),
        );
      }
    }
  }, 120_000);

  test('lists without a filter, with all relations, return own rows only', async () => {
    for (const root of allowed(rootFields).filter(({ field }) => String(field.type).includes('Page'))) {
      const variables = requiredOf(root.field);
      const answer = await clientOfKind(kind).graphql(documentOf(root), { ...variables, pageSize: 5 });
      expect(answer.errors, root.field.name).toBeUndefined();
      expect(answer.data[root.field.name].items.length, root.field.name).toBeGreaterThan(0);
      assertNothingForeign(JSON.stringify(answer), foreignTo(kind), '', root.field.name);
    }
  });

  test('nothing of the other tenants changed', async () => {
    expect(await rowsOf(foreignTo(kind))).toBe(before);
  });
});
