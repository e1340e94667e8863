import { isObjectType } from 'graphql';
import { describe, expect, test } from 'vitest';
import { takesKeys, takesPeople } from '../../src/auth/scopes.ts';
import { type SignedIn, signInEachRole } from '../iam/people.ts';
import { rootFields } from '../support/operations.ts';
import { usePlatform } from '../support/platform.ts';
import { seedPartner } from '../support/seed.ts';

const platform = await usePlatform();
const partner = await seedPartner(platform);
const account = await partner.account();
const foreign = await (await seedPartner(platform)).account();
const who = (await signInEachRole(platform, partner)) as Record<'hubadmin' | 'partneradmin', SignedIn>;

const shared = rootFields.filter(({ kind, scopes }) => kind === 'query' && takesKeys(scopes) && takesPeople(scopes));
const lists = shared.filter(({ field }) => isObjectType(field.type) && field.type.name.endsWith('Page'));
const names = lists.map(({ field }) => field.name);

const { id: webhookId } = await partner.api.ok('/webhooks', {
  url: 'https://93.184.216.34/in',
  eventTypes: ['order/created'],
});
/** What a key must name. */
const ofKeys: Readonly<Record<string, string>> = {
  webhookDeliveries: `webhookId: "${webhookId}", `,
  apiKeys: `platformAccountId: "${account.id}", `,
};

/** The values of a list, or the fields that its error names. */
async function ask(caller: Pick<SignedIn, 'graphql'>, name: string, args = ''): Promise<unknown> {
  const { data, errors } = await caller.graphql(`{ ${name}${args && `(${args})`} { total } }`);
  if (!errors) return data[name];
  const { code, data: details } = errors[0].extensions;
  return [code, details?.issues?.map(({ path }: { path: string }) => path).join()].join(' ');
}

describe('lists that keys and people call', () => {
  test('are all of those that people share with keys', () => expect(names.length).toBeGreaterThanOrEqual(10));

  test.each(names)('%s: 400 naming mode for a person without it, 200 with it', async (name) => {
    expect(await ask(who.hubadmin, name)).toBe('INPUT_PARSE_ERROR mode');
    expect(await ask(who.hubadmin, name, 'mode: test')).toMatchObject({ total: expect.any(Number) });
  });

  test.each(names)('%s: 400 for a key that names another mode, or a partner; 200 for its own mode', async (name) => {
    const named = ofKeys[name] ?? '';
    expect(await ask(partner.api, name, `${named}mode: live`)).toBe('INPUT_PARSE_ERROR mode');
    expect(await ask(partner.api, name, `${named}partnerSlug: "${partner.slug}"`)).toBe(
      'INPUT_PARSE_ERROR partnerSlug',
    );
    expect(await ask(partner.api, name, `${named}mode: test`)).toMatchObject({ total: expect.any(Number) });
    if (named) expect(await ask(partner.api, name)).toBe(`INPUT_PARSE_ERROR ${named.split(':')[0]}`);
  });

  test.each(
    names.filter((name) => name !== 'events'),
  )('%s: 404 for a partner that does not exist, 403 for a user of another partner', async (name) => {
    expect(await ask(who.hubadmin, name, 'mode: test, partnerSlug: "unknown"')).toContain('NOT_FOUND');
    expect(await ask(who.partneradmin, name, 'mode: test, partnerSlug: "unknown"')).toContain('FORBIDDEN');
  });

  test('400 for a filter that has no index over all partners, 200 with one partner', async () => {
    const filters = 'filters: { storeId: ["store_0"] }';
    for (const name of ['events', 'webhookEndpoints']) {
      expect(await ask(who.hubadmin, name, `mode: test, ${filters}`)).toBe('INPUT_PARSE_ERROR filters.storeId');
      expect(await ask(who.hubadmin, name, `mode: test, partnerSlug: "${partner.slug}", ${filters}`)).toEqual({
        total: 0,
      });
    }
  });

  test('400 at REST for a filter that only people have, naming those that it has', async () => {
    const { status, body } = await partner.api.call('/processors/list', { filters: { platformAccountId: account.id } });
    expect([status, body.data.issues]).toEqual([
      400,
      [{ path: 'filters.platformAccountId', message: 'is not a known field; known are enabled, type' }],
    ]);
    const { total } = (await ask(partner.api, 'processors', `filters: { platformAccountId: "${account.id}" }`)) as {
      total: number;
    };
    expect(total).toBe(1);
  });
});

describe('single objects', () => {
  test.each([
    ['account', 'platformAccountId', 'tpa'],
    ['customer', 'customerId', 'cus'],
    ['order', 'orderId', 'ord'],
    ['dispute', 'disputeId', 'dp'],
    ['funnel', 'funnelId', 'funnel'],
  ])('%s: 404 alike for what is foreign and what does not exist', async (name, argument, prefix) => {
    const read = async (caller: Pick<SignedIn, 'graphql'>, id: string) =>
      (await caller.graphql(`{ ${name}(${argument}: "${id}") { id } }`)).errors?.[0]?.message;
    const none = `${prefix}_00000000000000000000`;
    const messages = [
      await read(account.api, none),
      await read(who.partneradmin, none),
      await read(who.hubadmin, none),
    ];
    expect(new Set(messages).size).toBe(1);
    expect(messages[0]).toMatch(/ not found\./);
  });

  test('404 for a user of a partner and for a key if it belongs to another partner, 200 for internal staff', async () => {
    const customer = await foreign.api.ok('/customers/create', { email: 'foreign@example.com' });
    const query = `{ customer(customerId: "${customer.id}") { id } account(platformAccountId: "${foreign.id}") { id } }`;
    for (const caller of [account.api, who.partneradmin]) {
      const { data, errors } = await caller.graphql(query);
      expect(data).toEqual({ customer: null, account: null });
      expect(errors.map(({ extensions }: any) => extensions.code)).toEqual(['NOT_FOUND', 'NOT_FOUND']);
    }
    expect((await who.hubadmin.graphql(query)).data).toEqual({
      customer: { id: customer.id },
      account: { id: foreign.id },
    });
  });
});

describe('changes that keys and people make', () => {
  const none = 'pay_00000000000000000000';

  test.each([
    ['person', `voidPayment(paymentId: "${none}") { id }`, 'reason', 'is required for people by voidPayment'],
    ['key', `voidPayment(paymentId: "${none}", reason: "so") { id }`, 'reason', 'is for people'],
    [
      'key',
      `refundPayment(input: { paymentId: "${none}" }, refundedBefore: 0) { __typename }`,
      'refundedBefore',
      'is for',
    ],
    [
      'person',
      `refundPayment(input: { paymentId: "${none}", metadata: {} }, reason: "so") { __typename }`,
      'input.metadata',
      'is for API keys',
    ],
    [
      'person',
      `refundPayment(input: { paymentIds: ["${none}"] }, reason: "so") { __typename }`,
      'input.paymentIds',
      'is for API keys',
    ],
    [
      'person',
      'cancelSubscription(input: { subscriptionIds: ["sub_0"] }, reason: "so") { __typename }',
      'subscriptionIds',
      'is for API keys',
    ],
  ])('400 for a %s: %s names %s', async (kind, mutation, path, message) => {
    const caller = kind === 'key' ? account.api : who.hubadmin;
    const before = await platform.services.prisma.auditRow.count();
    const { errors } = await caller.graphql(`mutation { ${mutation} }`);
    expect(errors[0].extensions.data.issues).toEqual([{ path, message: expect.stringContaining(message) }]);
    expect(await platform.services.prisma.auditRow.count()).toBe(before);
  });
});
