import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { jsonFaultIn } from '../../rest/engine/json-fault.ts';
import { startTestPlatform, type TestPlatform } from '../support/platform.ts';
import { type SeededAccount, seedPartner } from '../support/seed.ts';

// What the API says to somebody who knows another one.

let platform: TestPlatform;
let account: SeededAccount;

beforeAll(async () => {
  platform = await startTestPlatform();
  account = await (await seedPartner(platform)).account();
});
afterAll(() => platform?.close());

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
    ['HTTP Basic', (key: string) => ({ Authorization: basic(key) }), /^API keys are not taken as HTTP Basic cred/],
    ['X-API-Key', (key: string) => ({ 'X-API-Key': key }), /^API keys are not taken from the header X-API-Key: /],
    ['no scheme', (key: string) => ({ Authorization: key }), /^The API key has no "Bearer" before it: /],
    ['another scheme', (key: string) => ({ Authorization: `Token ${key}` }), /^A valid API key is required: /],
  ])('%s', async (_title, headers, sentence) => {
    const [status, message] = await refused('/payments', { headers: headers(account.subKey) });
    expect([status, message]).toEqual([401, expect.stringMatching(sentence)]);
    expect(message).toMatch(/send the header "Authorization: Bearer <API_KEY>"\.$/);
  });
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

describe('404 of a path names its neighbors', () => {
  test.each([
    ['/payments/', 'There is no such path. There is one without the slash at its end.'],
    ['/auth/test/', 'There is no such path. There is one without the slash at its end.'],
    ['/customers', /^There is no such path\. There is .*POST \/customers\/create.*\.$/],
    ['/customer/list', /^There is no such path\. There is .*POST \/customers\/list.*\.$/],
    ['/payments/process/now', /^There is no such path\. There is POST \/payments; .* and more\.$/],
    ['/charges', 'There is no such path.'],
    ['/', 'There is no such path.'],
    [`/${'x'.repeat(4_000)}`, 'There is no such path.'],
  ])('%s', async (path, sentence) => {
    const [status, message] = await refused(path, { headers: { Authorization: `Bearer ${account.subKey}` } });
    expect(status).toBe(404);
    if (sentence instanceof RegExp) expect(message).toMatch(sentence);
    else expect(message).toBe(sentence);
  });
});

test('404 of a token in the place of a payment instrument says what it is', async () => {
  const { token } = await account.api.ok('/payment-instruments/tokenize', {
    cardNumber: '4242424242424242',
    expMonth: 12,
    expYear: 2035,
    cvc: '123',
  });
  const hint = 'There is no such payment instrument. This is a token: first create an instrument from it';
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
