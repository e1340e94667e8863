import { describe, expect, test } from 'vitest';
import { readingSchemas } from '../../../src/domains/plugins/json-schema/checker.ts';

type Json = Record<string, unknown>;
const issues = (schema: Json | null, config: Json) =>
  readingSchemas('tpa_test', (checker) => checker.configIssues(schema, [{ config, path: 'config' }]));
const schemaIssues = (schema: Json) => readingSchemas('tpa_test', (checker) => checker.schemaIssues(schema));
const paths = (found: readonly { path: string }[]) => found.map(({ path }) => path);

describe('the schema of configurations', () => {
  test.each([
    [
      '2020-12 by default',
      {
        prefixItems: [true],
        properties: { a: { $ref: '#/$defs/b' } },
        $defs: { b: { dependentRequired: { x: ['y'] } } },
      },
    ],
    ['2020-12 by name', { $schema: 'https://json-schema.org/draft/2020-12/schema', unevaluatedProperties: false }],
    [
      'draft-07',
      { $schema: 'http://json-schema.org/draft-07/schema#', items: [{ type: 'string' }], dependencies: { a: ['b'] } },
    ],
    [
      'words of its own beside',
      { 'x-widget': 'color', properties: { a: { type: 'string', format: 'color', title: 'A' } } },
    ],
    ['a name of its own', { $id: 'https://example.com/checkout.json', $ref: '#/$defs/a', $defs: { a: true } }],
    [
      'data that looks like a schema',
      {
        default: { $ref: 'https://example.com/' },
        enum: [{ pattern: '(?=a)' }],
        properties: { $ref: { type: 'string' }, pattern: { const: '(?=' } },
      },
    ],
    ['itself in itself', { properties: { child: { $ref: '#' } } }],
  ])('is accepted: %s', async (_what, schema) => expect(await schemaIssues(schema)).toEqual([]));

  test('draft-07 and 2020-12 read the same words as each defines them', async () => {
    const schema = { properties: { pair: { items: [{ type: 'string' }, { type: 'number' }] } } };
    expect(await schemaIssues({ $schema: 'http://json-schema.org/draft-07/schema', ...schema })).toEqual([]);
    expect(paths(await schemaIssues(schema))).toEqual(['schema.properties.pair.items']);
  });

  test.each<[string, Record<string, unknown>, string]>([
    ['deeper than 32', { not: Array.from({ length: 32 }).reduce<object>((inner) => ({ not: inner }), {}) }, 'schema'],
    ['more than 2,000 values', { enum: Array.from({ length: 1_999 }, (_, n) => n) }, 'schema'],
    ['more than 100 patterns', { anyOf: Array.from({ length: 101 }, () => ({ pattern: 'a' })) }, 'schema'],
    [
      'a remote reference deep inside',
      { allOf: [{ anyOf: [{ if: { $ref: 'other.json#/a' } }] }] },
      'schema.allOf[0].anyOf[0].if.$ref',
    ],
    ['a dynamic one', { $defs: { a: { $dynamicRef: 'https://example.com/#x' } } }, 'schema.$defs.a.$dynamicRef'],
    ['a pattern of a name', { patternProperties: { '(?!a)': true } }, 'schema.patternProperties["(?!a)"]'],
    ['a back-reference', { properties: { a: { pattern: '(a)\\1' } } }, 'schema.properties.a.pattern'],
    ['a pattern that is too long', { pattern: 'a'.repeat(501) }, 'schema.pattern'],
  ])('is rejected: %s', async (_what, schema, path) => expect(paths(await schemaIssues(schema))).toEqual([path]));

  test('at its bounds it is accepted', async () => {
    expect(await schemaIssues({ pattern: 'a'.repeat(500) })).toEqual([]);
    expect(await schemaIssues({ enum: Array.from({ length: 1_998 }, (_, n) => n) })).toEqual([]);
    expect(await schemaIssues({ anyOf: Array.from({ length: 100 }, () => ({ pattern: 'a' })) })).toEqual([]);
  });
});

describe('a configuration', () => {
  test('is named with the path and rule it violates', async () => {
    const schema = {
      type: 'object',
      required: ['a'],
      properties: {
        a: { type: 'string' },
        'odd name': { enum: [1, 2] },
        list: { items: { properties: { deep: { minimum: 3 } } } },
        size: { multipleOf: 5, maximum: 9 },
      },
      additionalProperties: false,
    };
    expect(await issues(schema, { 'odd name': 3, list: [{}, { deep: 1 }], extra: 1, size: 12 })).toEqual([
      { path: 'config.a', message: 'is required' },
      { path: 'config.extra', message: 'is not a known field' },
      { path: 'config["odd name"]', message: 'must be one of 1, 2' },
      { path: 'config.list[1].deep', message: 'must be >= 3' },
      { path: 'config.size', message: 'must be <= 9' },
      { path: 'config.size', message: 'must be multiple of 5' },
    ]);
  });

  test('inherited properties of objects count as absent', async () => {
    expect(paths(await issues({ required: ['toString'] }, {}))).toEqual(['config.toString']);
    expect(
      paths(await issues({ additionalProperties: false }, JSON.parse('{"__proto__": 1, "constructor": 2}'))),
    ).toEqual(['config.__proto__', 'config.constructor']);
  });

  test('each of two patterns is matched anywhere in the text', async () => {
    const schema = { properties: { a: { pattern: '^a' }, b: { pattern: 'b$' } } };
    expect(await issues(schema, { a: 'ax', b: 'xb' })).toEqual([]);
    expect(paths(await issues(schema, { a: 'xa', b: 'bx' }))).toEqual(['config.a', 'config.b']);
  });

  test('known formats are checked, unknown ones are annotations', async () => {
    const schema = {
      properties: {
        mail: { format: 'email' },
        site: { format: 'uri' },
        day: { format: 'date' },
        tint: { format: 'color' },
      },
    };
    expect(paths(await issues(schema, { mail: 'x', site: 'y', day: '2026-02-30', tint: 'z' })).sort()).toEqual([
      'config.day',
      'config.mail',
      'config.site',
    ]);
  });

  test('anything is valid without a schema', () => expect(issues(null, { a: 1 })).resolves.toEqual([]));

  test('at most 100 issues are returned', async () => {
    expect(
      await readingSchemas('tpa_test', (checker) =>
        checker.presetIssues(
          { many: { list: Array.from({ length: 500 }, () => 'x') } },
          { properties: { list: { items: { type: 'number' } } } },
        ),
      ),
    ).toHaveLength(100);
  });
});
