import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { schema } from '../../src/schema.ts';
import { rootFields } from '../support/operations.ts';

/** What clients of REST have, byte for byte. A change of one of these is a decision of its own. */
test.each([
  ['rest/openapi.json', 'fe5b4c9f47b0d84668e23341cd203150fdb67d7b6700d37e37ce7f538739efca'],
  ['rest/openapi-iam.json', 'd6840cdf83dedd4db23d76adfc7feaa35442460c495ac18f7806cc4465bed6d2'],
  ['rest/examples.json', 'fd860585c46dcc59a107e05d55c526da9aa4b32e094a1bc636078be404b153e4'],
  ['sdk/src/openapi.ts', 'e9c44657be6eaa154913fb673d28096234d3accaa40239590f67a6110722014e'],
])('%s is the frozen one', (file, hash) => {
  const bytes = readFileSync(join(import.meta.dirname, '..', '..', file));
  expect(createHash('sha256').update(bytes).digest('hex')).toBe(hash);
});

test('no root field and no type is named after who asks: `RuleOperator` compares values', () => {
  const names = [...rootFields.map(({ field }) => field.name), ...Object.keys(schema.getTypeMap())];
  expect(names.filter((name) => /operator/i.test(name))).toEqual(['RuleOperator']);
});
