import { describe, expect, test } from 'vitest';
import { makePartner, signedIn } from '../iam/people.ts';
import { type Client, clientOf } from '../support/client.ts';
import { usePlatform } from '../support/platform.ts';
import { seedPartner } from '../support/seed.ts';

const platform = await usePlatform();
const partner = await seedPartner(platform);
const account = await partner.account();
const instrument = (await account.instrument()).id;
await makePartner(platform, 'acme');
const superadmin = await signedIn(platform, { platformRoles: ['superadmin'] });
const staff = await signedIn(platform, { platformRoles: ['partnerstaff'], whitelabelOwnership: 'acme' });

const payments = async (): Promise<number> => (await account.api.ok('/payments', {})).total;

const put = { method: 'PUT' } as const;
type Send = (body: Record<string, unknown>) => ReturnType<Client['call']>;

describe('unknown fields of a body', () => {
  test.each<[string, Send, string, string]>([
    ['POST /accounts', (body) => partner.api.call('/accounts', { legalName: 'X', ...body }), 'Mode', 'known are'],
    [
      'POST /payments/process',
      (body) =>
        account.api.call('/payments/process', {
          paymentInstrumentId: instrument,
          amount: 100,
          currency: 'USD',
          ...body,
        }),
      'Mode',
      'did you mean mode?',
    ],
    [
      'POST /customers/create',
      (body) => account.api.call('/customers/create', { email: 'a@example.com', ...body }),
      'FirstName',
      'did you mean firstName?',
    ],
    [
      'PUT /accounts/:id',
      (body) => partner.api.call(`/accounts/${account.id}`, body, put),
      'LegalName',
      'did you mean legalName?',
    ],
    [
      'POST without fields of its own',
      (body) => partner.api.call('/api-keys/ak_x/revoke', body),
      'reason',
      'none are taken here',
    ],
    [
      'POST of a plugin',
      (body) => account.api.call('/plugins/v2/instance/create', body),
      'Name',
      'is not a known field',
    ],
  ])('400 of %s names it', async (_endpoint, send, name, hint) => {
    const before = await payments();
    const { status, body, headers } = await send({ [name]: 'x' });
    const issues = body.data?.issues ?? body.issues;
    const named = issues.filter(({ path }: { path: unknown }) => JSON.stringify(path ?? '').includes(name));
    expect([status, named.length, named[0]?.message, headers.has('ignored-fields')]).toEqual([
      400,
      1,
      expect.stringContaining(hint),
      false,
    ]);
    expect(await payments()).toBe(before);
  });

  test('422 over IAM names it', async () => {
    const { status, body } = await superadmin.iam('/partners-admin/create', {
      name: 'Globex',
      slug: 'globex',
      Branding: {},
    });
    expect([status, body.code, body.message]).toEqual([
      422,
      'UNPROCESSABLE_CONTENT',
      expect.stringContaining('Branding is not a known field'),
    ]);
  });

  test('200 of a list names it in Ignored-Fields', async () => {
    const { status, headers } = await account.api.call('/customers/list', { Page: 2 });
    expect([status, headers.get('ignored-fields')]).toEqual([200, 'Page']);
  });

  test.each([
    'paymentInstrumentId',
    'amount',
    'currency',
    'orderId',
  ])('400 of POST /payments for %s, a field of a charge, says where charges are made; nothing is charged', async (name) => {
    const before = await payments();
    const { status, body } = await account.api.call('/payments', { [name]: 'x', page: 1 });
    expect([status, body.data.issues]).toEqual([
      400,
      [{ path: name, message: 'is not a field of this list: charges are made at POST /payments/process' }],
    ]);
    expect(await payments()).toBe(before);
  });

  test('200 of POST /payments for a field of neither', async () => {
    const { status, headers } = await account.api.call('/payments', { zebra: 1 });
    expect([status, headers.get('ignored-fields')]).toEqual([200, 'zebra']);
  });
});

describe('amounts with a fraction', () => {
  const charge = (amount: string, more = '') =>
    account.api.call(
      '/payments/process',
      `{"paymentInstrumentId":"${instrument}","amount":${amount},"currency":"USD"${more}}`,
    );
  const raw = (path: string, body: string) => account.api.call(path, body);

  test.each([
    '25.00',
    '25.0',
    '2.5e1',
    '2500e-2',
    '25E0',
  ])('400 for an amount of %s; nothing is charged', async (amount) => {
    const before = await payments();
    const { status, body } = await charge(amount);
    expect([status, body.data.issues]).toEqual([
      400,
      [{ path: 'amount', message: expect.stringContaining('written without a fraction') }],
    ]);
    expect(await payments()).toBe(before);
  });

  test('200 for an amount of 2500 beside other numbers and texts with a fraction', async () => {
    const { status, body } = await charge(
      '2500',
      ',"metadata":{"amount":25.00,"rate":1.50,"note":"\\"amount\\": 25.00"}',
    );
    expect([status, body.payment?.amount, body.payment?.metadata]).toEqual([
      200,
      2500,
      { amount: 25, rate: 1.5, note: '"amount": 25.00' },
    ]);
  });

  test.each([
    [
      'a price of a product',
      '/products/create',
      '{"name":"P","prices":[{"amount":100,"currency":"USD"},{"amount":9.00,"currency":"EUR"}]}',
      'prices[1].amount',
    ],
    ['a filter', '/payments', '{"filters":{"amount":{"min":1,"max":25.00}}}', 'filters.amount.max'],
  ])('400 for %s', async (_what, path, body, where) => {
    const answer = await raw(path, body);
    expect([answer.status, answer.body.data.issues.map((issue: { path: string }) => issue.path)]).toEqual([
      400,
      [where],
    ]);
  });

  const mutation = 'mutation ($input: ProcessPaymentInput!) { processPayment(input: $input) { id } }';
  test.each([
    [
      'a variable',
      `{"query":${JSON.stringify(mutation)},"variables":{"input":{"paymentInstrumentId":"INSTRUMENT","amount":25.00,"currency":"USD"}}}`,
    ],
    [
      'a literal',
      JSON.stringify({
        query: mutation
          .replace('($input: ProcessPaymentInput!)', '')
          .replace('$input', '{ paymentInstrumentId: "INSTRUMENT", amount: 25.00, currency: "USD" }'),
      }),
    ],
  ])('INPUT_PARSE_ERROR over GraphQL for %s; nothing is charged', async (_what, text) => {
    const before = await payments();
    const response = await fetch(`${platform.url}/graphql`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${account.subKey}`, 'Content-Type': 'application/json' },
      body: text.replace('INSTRUMENT', instrument),
    });
    const { errors } = await response.json();
    expect([errors?.[0].extensions.code, errors?.[0].message]).toEqual([
      'INPUT_PARSE_ERROR',
      expect.stringContaining('written without a fraction'),
    ]);
    expect(await payments()).toBe(before);
  });
});

describe('people without the role', () => {
  test.each([
    ['superadmin, hubadmin or platformpaymentAdmin', '{ jobs { name } }'],
    ['superadmin, hubadmin or platformpaymentAdmin', '{ ledgerVerification { ok } }'],
  ])('403 names the roles: %s', async (roles, query) => {
    const { errors } = await staff.graphql(query);
    expect([errors[0].extensions.code, errors[0].message]).toEqual(['FORBIDDEN', expect.stringContaining(roles)]);
  });

  test('401 of me names both credentials that it takes', async () => {
    const { errors } = await clientOf(platform).graphql('{ me { kind } }');
    expect([errors[0].extensions.code, errors[0].message]).toEqual([
      'NOT_AUTHORIZED',
      expect.stringMatching(/sign in, or send a session token or an API key/),
    ]);
  });
});
