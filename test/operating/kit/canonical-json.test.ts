import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { canonicalJson, requestHashOf } from '../../../src/lib/json.ts';

test('is JSON of the same value', () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      const value: unknown = JSON.parse(text);
      expect(JSON.parse(canonicalJson(value))).toEqual(value);
    }),
  );
});

test('does not depend on the order of the keys', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
      const reversed = Object.fromEntries(Object.entries(value).toReversed());
      expect(canonicalJson(reversed)).toBe(canonicalJson(value));
    }),
  );
});

test.each([
  ['{"b":1,"a":[true,null,{"d":"é","c":1e21}]}', '{"a":[true,null,{"c":1e+21,"d":"é"}],"b":1}'],
  ['{"amount":1e400}', '{"amount":null}'],
  [String.raw`{"name":"\ud800"}`, String.raw`{"name":"\ud800"}`],
])('%s is %s, and so is its hash', (text, canonical) => {
  expect(canonicalJson(JSON.parse(text))).toBe(canonical);
  expect(requestHashOf(JSON.parse(text))).toBe(createHash('sha256').update(canonical).digest('hex'));
});

test('a date is an ISO string, and an absent field is omitted', () => {
  expect(canonicalJson({ to: undefined, from: new Date(0) })).toBe('{"from":"1970-01-01T00:00:00.000Z"}');
});
