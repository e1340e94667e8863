import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { schema } from '../../src/schema.ts';
import { rootFields } from '../support/operations.ts';

/** What clients of REST have, byte for byte. A change of one of these is a decision of its own. */
test.each([
  ['rest/openapi.json', 'b8e76288ab6b68735070e7e7b79ce4ccbdffeb4dfe40b9e53d0a7cdbed7ee103'],
  ['rest/openapi-iam.json', '460548ba5dbeaa7917b2e9ec8214260765e38dd6faa732237b4af232d8d7b89b'],
  ['rest/examples.json', '9009277f0843dea43c1bc704eed533adcfae29a335e50fe3da22994de8fcbf3e'],
  ['sdk/src/openapi.ts', '4a5ad5ce07b3e0f7ad5ef2bca378505fd7714f5f921ae4eed441dd2e157f879e'],
])('%s is the frozen one', (file, hash) => {
  const bytes = readFileSync(join(import.meta.dirname, '..', '..', file));
  expect(createHash('sha256').update(bytes).digest('hex')).toBe(hash);
});

test('no root field and no type is named after who asks: `RuleOperator` compares values', () => {
  const names = [...rootFields.map(({ field }) => field.name), ...Object.keys(schema.getTypeMap())];
  expect(names.filter((name) => /operator/i.test(name))).toEqual(['RuleOperator']);
});
