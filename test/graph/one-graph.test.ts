import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { schema } from '../../src/schema.ts';
import { rootFields } from '../support/operations.ts';

/** What clients of REST have, byte for byte. A change of one of these is a decision of its own. */
test.each([
  ['rest/openapi.json', '9f85e63a86866f6a2c8b19d51fcfba9939fd3fd91764b2f786ef26c06f62041c'],
  ['rest/openapi-iam.json', '1d7a3bedf671ceed8f702a75f27b4de63379e4961f41fe4e82434cd76f6a12f9'],
  ['rest/examples.json', 'fd860585c46dcc59a107e05d55c526da9aa4b32e094a1bc636078be404b153e4'],
  ['sdk/src/openapi.ts', '8b9707e41db12bd7312840b0c8f4eb3ba24f4e3ba289fed2248e8c6207653879'],
])('%s is the frozen one', (file, hash) => {
  const bytes = readFileSync(join(import.meta.dirname, '..', '..', file));
  expect(createHash('sha256').update(bytes).digest('hex')).toBe(hash);
});

test('no root field and no type is named after who asks: `RuleOperator` compares values', () => {
  const names = [...rootFields.map(({ field }) => field.name), ...Object.keys(schema.getTypeMap())];
  expect(names.filter((name) => /operator/i.test(name))).toEqual(['RuleOperator']);
});
