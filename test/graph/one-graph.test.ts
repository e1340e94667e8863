import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { schema } from '../../src/schema.ts';
import { rootFields } from '../support/operations.ts';

/** What clients of REST have, byte for byte. A change of one of these is a decision of its own. */
test.each([
  ['rest/openapi.json', '6898e15bbff633084bcf2f8ae305bd7baf97bc9c9e526e950a3d7c9ddd2ac372'],
  ['rest/openapi-iam.json', 'de01aaf6c87940f3d5fa2b0412455938631ea9daf95208ef2b6961d76beda263'],
  ['rest/examples.json', 'a766e2f976ea7bf2a7f5cb709927e8e2ac4ebdfaab18f80fcf12aa956c660a80'],
  ['sdk/src/openapi.ts', '81f680e8e6c6ad33a20920cac2b8a58aa3312c6dfca78b8909cb8ed604c43ca0'],
])('%s is the frozen one', (file, hash) => {
  const bytes = readFileSync(join(import.meta.dirname, '..', '..', file));
  expect(createHash('sha256').update(bytes).digest('hex')).toBe(hash);
});

test('no root field and no type is named after who asks: `RuleOperator` compares values', () => {
  const names = [...rootFields.map(({ field }) => field.name), ...Object.keys(schema.getTypeMap())];
  expect(names.filter((name) => /operator/i.test(name))).toEqual(['RuleOperator']);
});
