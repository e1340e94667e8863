import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { schema } from '../../src/schema.ts';
import { rootFields } from '../support/operations.ts';

/** What clients of REST have, byte for byte. A change of one of these is a decision of its own. */
test.each([
  ['rest/openapi.json', '7d51f18de04105cf2880bb9babdcaf66aea11a1ac2b694a2eb3bed44eb60748a'],
  ['rest/openapi-iam.json', '1c2e8eccc70a8e88da79265c6fc3308ddcda7aa51cd6ce10106b85f829a02d8f'],
  ['rest/examples.json', 'de2f96c795055db9e95f9195f09aa5ff603da54abf499648bc8335ecaf6d508c'],
  ['sdk/src/openapi.ts', '17abd7c5fc56b09f28fb3a692931c1c6448321874ba317f69519c7fed94da62b'],
])('%s is the frozen one', (file, hash) => {
  const bytes = readFileSync(join(import.meta.dirname, '..', '..', file));
  expect(createHash('sha256').update(bytes).digest('hex')).toBe(hash);
});

test('no root field and no type is named after who asks: `RuleOperator` compares values', () => {
  const names = [...rootFields.map(({ field }) => field.name), ...Object.keys(schema.getTypeMap())];
  expect(names.filter((name) => /operator/i.test(name))).toEqual(['RuleOperator']);
});
