import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { schema } from '../../src/schema.ts';
import { rootFields } from '../support/operations.ts';

/** What clients of REST have, byte for byte. A change of one of these is a decision of its own. */
test.each([
  ['rest/openapi.json', '6bc1be157c55fb9357246985ac0224818d50d9d73a52f2252d59ef1fb74fe09e'],
  ['rest/openapi-iam.json', '3b023cff5047b33fe6dee6706ff3cec14d3636ddff9670529cefd5c9367f3145'],
  ['rest/examples.json', '81da5be95b8a5f5b85ca3b1aa38ac35416fd118da3576691fb0627fc176f1166'],
  ['sdk/src/openapi.ts', 'e345d81580dd52655eebdf8b90c6b094a6b220765f11c424f7d715a798c787f0'],
])('%s is the frozen one', (file, hash) => {
  const bytes = readFileSync(join(import.meta.dirname, '..', '..', file));
  expect(createHash('sha256').update(bytes).digest('hex')).toBe(hash);
});

test('no root field and no type is named after who asks: `RuleOperator` compares values', () => {
  const names = [...rootFields.map(({ field }) => field.name), ...Object.keys(schema.getTypeMap())];
  expect(names.filter((name) => /operator/i.test(name))).toEqual(['RuleOperator']);
});
