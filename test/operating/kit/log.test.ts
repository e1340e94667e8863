import { describe, expect, test } from 'vitest';
import { createLog } from '../../../src/observability/log.ts';
import { scrub } from '../../../src/observability/scrub.ts';

const secretTail = 'abcdefghijklmnopqrstuvwxyzABCDEF012345';
const card = '4242424242424242';

/** The log line of a value, parsed as JSON: a redacted line must still be one JSON object. */
function logged(fields: object, message = 'm'): { line: string; json: Record<string, unknown> } {
  let line = '';
  createLog({ level: 'trace', destination: { write: (text: string) => void (line = text) } }).info(fields, message);
  return { line, json: JSON.parse(line) };
}

describe('a key', () => {
  test.each([
    'tp_sk_test_',
    'tp_sk_live_',
    'tp_sk_partner_test_',
    'tp_sk_partner_live_',
  ])('%s… keeps its public prefix only', (kind) => {
    const { line } = logged({ note: `for ${kind}ABCDEFGH${secretTail} here` });
    expect(line).toContain(`${kind}ABCDEFGH[redacted]`);
    expect(line).not.toContain(secretTail);
  });

  test('is kept if it is only the prefix', () => {
    expect(logged({ keyPrefix: 'tp_sk_test_ABCDEFGH' }).json['keyPrefix']).toBe('tp_sk_test_ABCDEFGH');
  });
});

test.each([
  ['a field at the top', { cvc: '123' }],
  ['a field far down', { a: { b: { c: [{ d: { e: { cvc: '123' } } }] } } }],
  ['a number', { a: { cvc: 123 } }],
  ['JSON as text', { body: JSON.stringify({ cvc: '123' }) }],
  ['another spelling', { a: { CVC: '123' } }],
  ['a list', { cvc: ['123'] }],
])('a secret by its name: %s', (_where, fields) => {
  expect(logged(fields).line).not.toContain('123');
});

test('an error keeps its causes and plain values, and loses the objects that a library attached', () => {
  const cause = Object.assign(new Error('inner'), { code: 'ECONNRESET', request: { path: '/' } });
  const error = Object.assign(new Error('outer', { cause }), { client: { host: 'db' }, retries: 2, last: null });
  const { err } = logged({ err: error }).json;
  expect(err).toEqual({
    type: 'Error',
    message: 'outer',
    stack: expect.stringContaining('outer'),
    retries: 2,
    last: null,
    cause: { type: 'Error', message: 'inner', stack: expect.stringContaining('inner'), code: 'ECONNRESET' },
  });
  const both = logged({ err: new AggregateError([cause], 'both') }).json['err'];
  expect(both).toMatchObject({ message: 'both', aggregateErrors: [{ code: 'ECONNRESET' }] });
  expect(JSON.stringify(both)).not.toContain('request');
});

test('headers and passwords are recognized by their names', () => {
  const { line } = logged({
    req: { headers: { authorization: 'Bearer xyzzy', cookie: 'xyzzy', 'set-cookie': ['xyzzy', 'xyzzy'] } },
    password: 'xyzzy"quoted',
    accessToken: 'xyzzy',
    secretHash: 'xyzzy',
  });
  expect(line).not.toContain('xyzzy');
});

test.each([
  card,
  '4242 4242 4242 4242',
  '4242-4242-4242-4242',
  '378282246310005',
  '4222222222222',
  '6304000000000000000',
])('a card number %s is removed from any text', (number) => {
  expect(logged({ note: `paid with ${number}.` }, `and ${number}`).line).not.toContain(number);
});

test('a card number beside other digits is found', () => {
  expect(scrub(`id 7 ${card}`)).not.toContain(card);
});

const letters = 'b12a';
test.each([
  ['64', `${letters.repeat(6)}${card}${'ef'.repeat(12)}`],
  ['40', `${letters.repeat(3)}${card}${'ef'.repeat(6)}`],
])('a hash of %s characters is unchanged, also if digits within it pass the check of a card number', (_length, digest) => {
  expect(logged({ anchor: `8:${digest}`, digest }, digest).json).toMatchObject({
    anchor: `8:${digest}`,
    digest,
    msg: digest,
  });
  expect(scrub(`of ${card} ${digest} ${card}`)).toBe(`of [redacted card] ${digest} [redacted card]`);
});

test.each([
  `a${card}b`,
  `order${card}`,
  `${letters.repeat(6)}${card}${'ef'.repeat(11)}`,
  `${letters.repeat(6)}${card}${'ef'.repeat(12)}a`,
  `${letters.repeat(3)}${card}${'ef'.repeat(6)}x`,
])('a card number directly beside letters is removed from %s, which is no hash', (text) => {
  expect(scrub(`of ${text}.`)).not.toContain(card);
});

test('a card number that is a JSON number leaves a valid JSON number', () => {
  const { line, json } = logged({ n: Number(card), list: [Number(card)] });
  expect(line).not.toContain(card);
  expect(json['n']).toBe(9999999999999999);
});

test('signing secrets, tokens and passwords of URLs are removed', () => {
  const { line } = logged({
    err: new Error(`whsec_c2VjcmV0 eyJhbGciOiJI.eyJzdWIiOiIx.c2ln postgresql://user:hunter2@db/x`),
  });
  for (const secret of ['c2VjcmV0', 'eyJzdWIi', 'hunter2']) expect(line).not.toContain(secret);
});

test('keys of processors and secrets of payments are removed', () => {
  const { line } = logged({
    err: new Error('Invalid key sk_live_Abc123Def, rk_test_Abc123Def; pi_3Nq_secret_Abc123Def'),
  });
  expect(line).not.toContain('Abc123Def');
  expect(line).toContain('pi_3Nq_secret_[redacted]');
});

test('other text is unchanged', () => {
  const fields = {
    requestId: 'req_1234567890123',
    note: '4242424242424241',
    amount: 123456789012,
    tokenCount: 3,
    at: '2026-03-01T12:00:00.000Z',
  };
  expect(logged(fields).json).toMatchObject(fields);
});
