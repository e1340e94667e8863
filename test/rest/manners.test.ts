import { describe, expect, test } from 'vitest';
import { jsonFaultIn } from '../../rest/engine/body.ts';
import { usePlatform } from '../support/platform.ts';
import { seedPartner } from '../support/seed.ts';

// What the API says to a caller who knows another one.

const platform = await usePlatform();
const account = await (await seedPartner(platform)).account();

async function refused(path: string, init: RequestInit): Promise<[number, string]> {
  const response = await fetch(`${platform.url}/api/public/v1${path}`, { method: 'POST', ...init });
  const { message } = (await response.json()) as { message: string };
  expect(message).not.toContain(account.subKey);
  return [response.status, message];
}

describe('401 says how the key was sent, and how it is sent', () => {
  const basic = (key: string): string => `Basic ${Buffer.from(`${key}:`).toString('base64')}`;
  test.each([
    ['no key', () => ({}), /^A valid API key is required: /],
    ['HTTP Basic', (key: string) => ({ Authorization: basic(key) }), /^API keys are not accepted as HTTP Basic cred/],
    ['X-API-Key', (key: string) => ({ 'X-API-Key': key }), /^API keys are not accepted from the header X-API-Key: /],
    ['no scheme', (key: string) => ({ Authorization: key }), /^The API key has no "Bearer" before it: /],
    [
      'another scheme',
      (key: string) => ({ Authorization: `Token ${key}` }),
      /^The API key has another word than "Bear/,
    ],
    ['another credential', () => ({ Authorization: 'Digest username="x"' }), /^A valid API key is required: /],
    ['Api-Key', (key: string) => ({ 'Api-Key': key }), /^API keys are not accepted from the header Api-Key: /],
    ['Bearer twice', (key: string) => ({ Authorization: `Bearer Bearer ${key}` }), /^"Bearer", one space and the API /],
    ['a colon', (key: string) => ({ Authorization: `Bearer: ${key}` }), /^"Bearer", one space and the API key must be/],
    ['no key after it', () => ({ Authorization: 'Bearer' }), /^"Bearer", one space and the API key must be all of /],
  ])('%s', async (_title, headers, sentence) => {
    const [status, message] = await refused('/payments', { headers: headers(account.subKey) });
    expect([status, message]).toEqual([401, expect.stringMatching(sentence)]);
    expect(message).toMatch(/send the header "Authorization: Bearer <API_KEY>"\.$/);
  });
});

test('401 says that the address is no place for a key', async () => {
  const [status, message] = await refused(`/payments?api_key=${account.subKey}`, {});
  expect([status, message]).toEqual([
    401,
    expect.stringMatching(/^API keys are not accepted from the address, which logs /),
  ]);
});

test.each([
  ['of another platform', () => 'sk_test_4eC39HqLyjWDarjtT1zdp7dc', /begin with tp_sk_, without quotes or brackets/],
  ['a variable that no shell replaced', () => '$SUB_KEY', /begin with tp_sk_, without quotes or brackets/],
  ['in quotes', (key: string) => `"${key}"`, /begin with tp_sk_, without quotes or brackets/],
  ['in angle brackets', (key: string) => `<${key}>`, /begin with tp_sk_, without quotes or brackets/],
  ['cut off', (key: string) => key.slice(0, -1), /check that it was copied completely/],
])('401 says what is wrong with a key %s', async (_title, given, sentence) => {
  const [status, message] = await refused('/payments', {
    headers: { Authorization: `Bearer ${given(account.subKey)}` },
  });
  expect([status, message]).toEqual([401, expect.stringMatching(sentence)]);
});

describe('400 of a value of another kind says what was sent', () => {
  test.each([
    [
      '/payments/process',
      { amount: '2500' },
      'amount',
      'must be a whole number of minor units from 1 to 99999999999, not a string',
    ],
    [
      '/payments/process',
      { currency: 840 },
      'currency',
      'must be an ISO 4217 currency code in upper case, such as "USD", not a number',
    ],
    ['/payment-instruments/tokenize', { expMonth: '12' }, 'expMonth', 'must be a whole number, not a string'],
    ['/payments', { sortBy: 'createdAt' }, 'sortBy', 'must be an object with direction, field, not a string'],
    ['/payments', { page: '1' }, 'page', 'must be a whole number from 1 to 1000000, not a string'],
    [
      '/payments',
      { filters: { createdAt: '2026-01-01' } },
      'filters.createdAt',
      'must be an object with condition, value, not a string',
    ],
    ['/payments', { filters: { status: ['paid'] } }, 'filters.status[0]', expect.not.stringContaining(', not ')],
    [
      '/customers/create',
      { metadata: { a: { b: 1 } } },
      'metadata',
      expect.stringMatching(/whose values are strings of .* or null$/),
    ],
  ])('%s %j', async (to, body, path, message) => {
    const answer = await account.api.call(to, body);
    expect(answer.status).toBe(400);
    expect(answer.body.data.issues).toContainEqual({ path, message });
  });
});

test('400 of an amount with a fraction says so once', async () => {
  const headers = { Authorization: `Bearer ${account.subKey}`, 'Content-Type': 'application/json' };
  const [, message] = await refused('/payments/process', { headers, body: '{"amount": 25.5, "currency": "USD"}' });
  expect(message.match(/amount/g)).toHaveLength(1);
  expect(message).toContain('written without a fraction: 2500 is $25.00');
});

test('400 of a header that is nearly Idempotency-Key, whose sender would be charged twice', async () => {
  const { id: paymentInstrumentId } = await account.instrument();
  const body = JSON.stringify({ paymentInstrumentId, amount: 100, currency: 'USD' });
  for (const name of ['X-Idempotency-Key', 'IdempotencyKey', 'Idempotent-Key']) {
    const headers = { Authorization: `Bearer ${account.subKey}`, 'Content-Type': 'application/json', [name]: 'once' };
    const [status, message] = await refused('/payments/process', { headers, body });
    expect([status, message]).toEqual([400, expect.stringMatching(/is not supported: the header is Idempotency-Key/)]);
  }
  expect((await account.api.ok('/payments', {})).total).toBe(0);
});

describe('400 of a body that is not JSON says where and why, and repeats nothing of it', () => {
  test.each([
    ['{"amount": 2500, "currency": "USD",}', 'line 1, column 36: expected double-quoted property name'],
    ["{'amount': 2500}", "line 1, column 2: expected property name or '}'"],
    ['{"amount": }', 'line 1, column 12: unexpected character'],
    ['{\n  "a": 1\n  "b": 2\n}', "line 3, column 3: expected ',' or '}' after property value"],
    ['{"a": undefined}', 'line 1, column 7: unexpected character'],
    ['{"a": [1, 2,]}', 'line 1, column 13: unexpected character'],
    ['amount=2500', 'line 1, column 1: unexpected character'],
    ['{"amount": 2500', 'it ends too early'],
    ['{"cardNumber": "4242', 'it ends too early'],
    ['{"a": tru', 'it ends too early'],
  ])('%s', (text, sentence) => {
    expect(jsonFaultIn(text)).toEqual(sentence);
  });

  test('of a text of more than 8,192 characters the place may be left out', () => {
    const ofLength = (length: number): string => `["${'é'.repeat(length - 6)}", ]`;
    expect(jsonFaultIn(ofLength(8_192))).toBe('line 1, column 8192: unexpected character');
    expect(jsonFaultIn(ofLength(8_193))).toBe('a character is unexpected');
  });

  test('of a card number no digit is repeated', async () => {
    for (const body of ['{"cardNumber": \'4242424242424242\'}', '{"cardNumber": "4242424242424242" "cvc": "123"}']) {
      const headers = { Authorization: `Bearer ${account.subKey}`, 'Content-Type': 'application/json' };
      const [status, message] = await refused('/payment-instruments/tokenize', { headers, body });
      expect([status, message]).toEqual([400, expect.stringMatching(/is not valid JSON: line 1, column \d\d: /)]);
      expect(message).not.toContain('42');
    }
  });
});

describe('404 of a path names its neighbors, or where all are listed', () => {
  const nowhere = 'Path not found. All are listed at /api/public/v1/docs.';
  test.each([
    ['/payments/', 'Path not found. There is one without the slash at its end.'],
    ['/auth/test/', 'Path not found. There is one without the slash at its end.'],
    ['/customers', /^Path not found\. There is .*POST \/customers\/create.*\.$/],
    ['/customer/list', /^Path not found\. There is .*POST \/customers\/list.*\.$/],
    ['/payments/process/now', /^Path not found\. There is POST \/payments\/process; .* and more\.$/],
    ['/payments/pay_1/refund', /^Path not found\. There is POST \/payments\/refund; .* and more\.$/],
    ['/refunds', 'Path not found. There is POST /payments/refund.'],
    ['//payments/process', 'Path not found. There is one without the doubled slash.'],
    ['/charges', nowhere],
    ['/charges/create', nowhere],
    ['/', nowhere],
    [`/${'x'.repeat(4_000)}`, nowhere],
    ['/a'.repeat(4_000), nowhere],
  ])('%s', async (path, sentence) => {
    const [status, message] = await refused(path, { headers: { Authorization: `Bearer ${account.subKey}` } });
    expect(status).toBe(404);
    if (sentence instanceof RegExp) expect(message).toMatch(sentence);
    else expect(message).toBe(sentence);
  });
});

test.each([
  ['/v1/charges', ' The API is below /api/public/v1.'],
  ['/api/v1/payments', ' The API is below /api/public/v1.'],
  ['/payments', ''],
])('404 of a path outside of the APIs names their root where it looks like theirs: %s', async (path, hint) => {
  const response = await fetch(platform.url + path, { method: 'POST' });
  expect([response.status, await response.json()]).toEqual([
    404,
    { code: 'NOT_FOUND', message: `Path not found.${hint}`, data: {} },
  ]);
});

test('405 of the path of an object names those that take the method', async () => {
  const { status, headers, body } = await account.api.call('/payments/create', {});
  expect([status, headers.get('Allow')]).toEqual([405, 'GET, HEAD']);
  expect(body.message).toMatch(/^This path does not support POST\. It supports GET, HEAD\. There is POST \/payments; /);
});

test('404 of a token in the place of a payment instrument says what it is', async () => {
  const { token } = await account.api.ok('/payment-instruments/tokenize', {
    cardNumber: '4242424242424242',
    expMonth: 12,
    expYear: 2035,
    cvc: '123',
  });
  const hint = 'Payment instrument not found. This is a token: first create an instrument from it';
  for (const paymentInstrumentId of ['tok_visa', token]) {
    const charged = await account.api.call('/payments/process', { paymentInstrumentId, amount: 100, currency: 'USD' });
    const read = await account.api.call(`/payment-instruments/${paymentInstrumentId}`);
    for (const { status, body } of [charged, read])
      expect([status, body.message]).toEqual([404, expect.stringContaining(hint)]);
  }
});

test('400 of a text with U+0000 says so, over REST and in a document', async () => {
  const message = 'must not contain the character U+0000 or half of a surrogate pair';
  const { status, body } = await account.api.call('/customers/create', { email: 'nul@example.com', firstName: 'A\0b' });
  expect([status, body.data.issues]).toEqual([400, [{ path: 'firstName', message }]]);
  const query = 'mutation { createCustomer(input: {email: "nul@example.com", firstName: "A\\u0000b"}) { id } }';
  const { errors } = await account.api.graphql(query);
  expect(JSON.stringify(errors)).toContain(message);
});
