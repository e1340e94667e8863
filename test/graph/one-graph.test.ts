import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { schema } from '../../src/schema.ts';
import { rootFields } from '../support/operations.ts';

/** What clients of REST have, byte for byte. A change of one of these is a decision of its own. */
test.each([
  ['rest/openapi.json', 'e2c8934a16eba2bd3842ac3293ea8038dddbeee2b121e5d1cfbeca1dbecee18d'],
  ['rest/openapi-iam.json', '6a549d31b7f023da73e3fd58c737415227ac03b3e9d76faa75063d65849adb5a'],
  ['rest/examples.json', 'd13719a2705716c207a516ce1aa2a357ee2136f96121ed21e92474f332523f0a'],
  ['sdk/src/openapi.ts', 'a42023529895f112190daa2f4b4c3501fe4a0085868f6bf3e907d418ace55d79'],
])('%s is the frozen one', (file, hash) => {
  const bytes = readFileSync(join(import.meta.dirname, '..', '..', file));
  expect(createHash('sha256').update(bytes).digest('hex')).toBe(hash);
});

test('no root field and no type is named after who asks: `RuleOperator` compares values', () => {
  const names = [...rootFields.map(({ field }) => field.name), ...Object.keys(schema.getTypeMap())];
  expect(names.filter((name) => /operator/i.test(name))).toEqual(['RuleOperator']);
});
