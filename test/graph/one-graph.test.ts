import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { schema } from '../../src/schema.ts';
import { rootFields } from '../support/operations.ts';

/** What clients of REST have, byte for byte. A change of one of these is a decision of its own. */
test.each([
  ['rest/openapi.json', '1888e4fdffa1665db7246f4486227ea1098d1bfe12f7f383c56f2cc457af29d1'],
  ['rest/openapi-iam.json', '1f00b1ba08af74066075f1996b7196a366920245ce832fb3a3655a955cf61491'],
  ['rest/examples.json', '1c309e5584564c7510dc950d47cc8daffd5e57d79dad7375b4f1379c5b879cc3'],
  ['sdk/src/openapi.ts', 'b4f042e9bf03664a6575a26417606745ed530bdd75cfee8c7c457e4791505a90'],
])('%s is the frozen one', (file, hash) => {
  const bytes = readFileSync(join(import.meta.dirname, '..', '..', file));
  expect(createHash('sha256').update(bytes).digest('hex')).toBe(hash);
});

test('no root field and no type is named after who asks: `RuleOperator` compares values', () => {
  const names = [...rootFields.map(({ field }) => field.name), ...Object.keys(schema.getTypeMap())];
  expect(names.filter((name) => /operator/i.test(name))).toEqual(['RuleOperator']);
});
