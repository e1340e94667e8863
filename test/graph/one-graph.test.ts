import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { schema } from '../../src/schema.ts';
import { rootFields } from '../support/operations.ts';

/** What clients of REST have, byte for byte. A change of one of these is a decision of its own. */
test.each([
  ['rest/openapi.json', 'fa99f25c00e150a718254efe370030b90b91514af8f4d0f8bdcc06223291a35f'],
  ['rest/openapi-iam.json', 'd6840cdf83dedd4db23d76adfc7feaa35442460c495ac18f7806cc4465bed6d2'],
  ['rest/examples.json', '76cfc682d1b975ba217348fda935d410a9747edc85885653eb103f4e77841cde'],
  ['sdk/src/openapi.ts', 'a38fd53b74e5b8ee264b980142a4ef63979b800d823d21515aa146e7933dcd34'],
])('%s is the frozen one', (file, hash) => {
  const bytes = readFileSync(join(import.meta.dirname, '..', '..', file));
  expect(createHash('sha256').update(bytes).digest('hex')).toBe(hash);
});

test('no root field and no type is named after who asks: `RuleOperator` compares values', () => {
  const names = [...rootFields.map(({ field }) => field.name), ...Object.keys(schema.getTypeMap())];
  expect(names.filter((name) => /operator/i.test(name))).toEqual(['RuleOperator']);
});
