import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { schema } from '../../src/schema.ts';
import { rootFields } from '../support/operations.ts';

/** What clients of REST have, byte for byte. A change of one of these is a decision of its own. */
test.each([
  ['rest/openapi.json', '7697711ca66417cb7e8542e6346b8f95f6effb45bc2137b1911214e62dbe93a4'],
  ['rest/openapi-iam.json', '3b023cff5047b33fe6dee6706ff3cec14d3636ddff9670529cefd5c9367f3145'],
  ['rest/examples.json', 'df207c161b1d9224646205c2c42f30ee3e9f331f8a7c7093c4ce371a8d11fd62'],
  ['sdk/src/openapi.ts', 'd6c7b1bcfeb6bc3d0485e1a139a3156e4d20b5519218e79a6ea91ff41fce23f3'],
])('%s is the frozen one', (file, hash) => {
  const bytes = readFileSync(join(import.meta.dirname, '..', '..', file));
  expect(createHash('sha256').update(bytes).digest('hex')).toBe(hash);
});

test('no root field and no type is named after who asks: `RuleOperator` compares values', () => {
  const names = [...rootFields.map(({ field }) => field.name), ...Object.keys(schema.getTypeMap())];
  expect(names.filter((name) => /operator/i.test(name))).toEqual(['RuleOperator']);
});
