import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { schema } from '../../src/schema.ts';
import { rootFields } from '../support/operations.ts';

/** What clients of REST have, byte for byte. A change of one of these is a decision of its own. */
test.each([
  ['rest/openapi.json', 'ab14d796da71c34b473293b467c81d0a5698185da1bbf19d29a79cce4f8f6733'],
  ['rest/openapi-iam.json', '6a549d31b7f023da73e3fd58c737415227ac03b3e9d76faa75063d65849adb5a'],
  ['rest/examples.json', 'de2f96c795055db9e95f9195f09aa5ff603da54abf499648bc8335ecaf6d508c'],
  ['sdk/src/openapi.ts', 'dd17587da3a065dab4d5df646c9a68173013f07e3fe79fb0a05c8d9cde6d9d99'],
])('%s is the frozen one', (file, hash) => {
  const bytes = readFileSync(join(import.meta.dirname, '..', '..', file));
  expect(createHash('sha256').update(bytes).digest('hex')).toBe(hash);
});

test('no root field and no type is named after who asks: `RuleOperator` compares values', () => {
  const names = [...rootFields.map(({ field }) => field.name), ...Object.keys(schema.getTypeMap())];
  expect(names.filter((name) => /operator/i.test(name))).toEqual(['RuleOperator']);
});
