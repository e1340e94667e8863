import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { schema } from '../../src/schema.ts';
import { rootFields } from '../support/operations.ts';

/** What clients of REST have, byte for byte. A change of one of these is a decision of its own. */
test.each([
  ['rest/openapi.json', 'e9f8fb5140fd9be71a03f3134f46c9b4267ea5437abdbee5fbf64cfcb2421864'],
  ['rest/openapi-iam.json', 'de01aaf6c87940f3d5fa2b0412455938631ea9daf95208ef2b6961d76beda263'],
  ['rest/examples.json', 'ff8442c54703cf7a8fbc318dac7f8063726a0471fb431405f99e013f4f366cc9'],
  ['sdk/src/openapi.ts', 'fa89e244b5b8190f1906315065fab585e2a9b6468500692590b6ecb8ffeccd8e'],
])('%s is the frozen one', (file, hash) => {
  const bytes = readFileSync(join(import.meta.dirname, '..', '..', file));
  expect(createHash('sha256').update(bytes).digest('hex')).toBe(hash);
});

test('no root field and no type is named after who asks: `RuleOperator` compares values', () => {
  const names = [...rootFields.map(({ field }) => field.name), ...Object.keys(schema.getTypeMap())];
  expect(names.filter((name) => /operator/i.test(name))).toEqual(['RuleOperator']);
});
