import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { schema } from '../../src/schema.ts';
import { rootFields } from '../support/operations.ts';

/** What clients of REST have, byte for byte. A change of one of these is a decision of its own. */
test.each([
  ['rest/openapi.json', '1e0d0c1fe0c466d2f23b4e86265d5d01c706053a151961957bf7f839a648359b'],
  ['rest/openapi-iam.json', 'de01aaf6c87940f3d5fa2b0412455938631ea9daf95208ef2b6961d76beda263'],
  ['rest/examples.json', '76cfc682d1b975ba217348fda935d410a9747edc85885653eb103f4e77841cde'],
  ['sdk/src/openapi.ts', 'dc7bd5ff630a1da45866bd923b628c623d7cc6c2b1802f1687174394336d30db'],
])('%s is the frozen one', (file, hash) => {
  const bytes = readFileSync(join(import.meta.dirname, '..', '..', file));
  expect(createHash('sha256').update(bytes).digest('hex')).toBe(hash);
});

test('no root field and no type is named after who asks: `RuleOperator` compares values', () => {
  const names = [...rootFields.map(({ field }) => field.name), ...Object.keys(schema.getTypeMap())];
  expect(names.filter((name) => /operator/i.test(name))).toEqual(['RuleOperator']);
});
