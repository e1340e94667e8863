import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { schema } from '../../src/schema.ts';
import { rootFields } from '../support/operations.ts';

/** What clients of REST have, byte for byte. A change of one of these is a decision of its own. */
test.each([
  ['rest/openapi.json', 'd12735fa3792201d1ed36cd0e6ea4e2daa612c067b0a9980cd1817b8218419b9'],
  ['rest/openapi-iam.json', '55e09af9dce7603912c7698f8b5d1c239a21ef7252a2143b76006ac1de42b429'],
  ['rest/examples.json', 'de2f96c795055db9e95f9195f09aa5ff603da54abf499648bc8335ecaf6d508c'],
  ['sdk/src/openapi.ts', 'ea13c96ed3196203d3c216ec5adc1da3c75d47e9fe9f3cc5cac506bf173e2f13'],
])('%s is the frozen one', (file, hash) => {
  const bytes = readFileSync(join(import.meta.dirname, '..', '..', file));
  expect(createHash('sha256').update(bytes).digest('hex')).toBe(hash);
});

test('no root field and no type is named after who asks: `RuleOperator` compares values', () => {
  const names = [...rootFields.map(({ field }) => field.name), ...Object.keys(schema.getTypeMap())];
  expect(names.filter((name) => /operator/i.test(name))).toEqual(['RuleOperator']);
});
