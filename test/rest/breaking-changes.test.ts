import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { printedOpenApi } from '../../rest/print-openapi.ts';
import { printedSchema } from '../../src/cli/print-schema.ts';
import { breakingGraphChanges, breakingRestChanges } from './breaking-changes.ts';

const root = join(import.meta.dirname, '..', '..');
const graph = readFileSync(join(root, 'schema.graphql'), 'utf8');
const rest = readFileSync(join(root, 'rest', 'openapi.json'), 'utf8');
/** Two endpoints of the document with what they refer to: comparing all of it takes seconds. */
const part = partOf(rest, ['/auth/test', '/payments/capture']);

describe('the printed interfaces', () => {
  test('schema.graphql is what the graph prints', () => {
    expect(graph).toBe(printedSchema());
  });

  test.each([
    'openapi.json',
    'openapi-iam.json',
  ] as const)('rest/%s is what the documents and the graph print', (file) => {
    expect(readFileSync(join(root, 'rest', file), 'utf8')).toBe(printedOpenApi(file));
  });
});

describe('a breaking change of the graph is named', () => {
  test('none between equal versions', async () => {
    expect(await breakingGraphChanges(graph, graph)).toEqual([]);
  });

  test('a field that is removed, and not a field that is added', async () => {
    const without = 'type Query { a: Int }';
    const withBoth = 'type Query { a: Int, b: Int }';
    expect(await breakingGraphChanges(withBoth, without)).toEqual([expect.stringContaining("'b' was removed")]);
    expect(await breakingGraphChanges(without, withBoth)).toEqual([]);
  });

  test('an argument that becomes required', async () => {
    const found = await breakingGraphChanges('type Query { a(x: Int): Int }', 'type Query { a(x: Int!): Int }');
    expect(found).toHaveLength(1);
  });
});

describe('a breaking change of the REST API is named', () => {
  const changed = (change: (document: ReturnType<typeof JSON.parse>) => void): string => {
    const document = JSON.parse(part);
    change(document);
    return JSON.stringify(document);
  };

  test('none between equal versions, and none for a new endpoint', () => {
    expect(breakingRestChanges(part, part)).toEqual([]);
    expect(breakingRestChanges(part, partOf(rest, ['/auth/test', '/payments/capture', '/orders/cancel']))).toEqual([]);
  });

  test('an endpoint that is removed', () => {
    const less = changed(({ paths }) => delete paths['/payments/capture']);
    expect(breakingRestChanges(part, less)).toEqual(['remove paths › /payments/capture › post']);
  });

  test('a field of a body that becomes required', () => {
    const stricter = changed(({ components }) => components.schemas.CapturePaymentInput.required.push('amount'));
    expect(breakingRestChanges(part, stricter)).toContainEqual(expect.stringContaining('/payments/capture'));
  });
});

function partOf(document: string, paths: readonly string[]): string {
  const { components, webhooks: _, ...rest } = JSON.parse(document);
  const shown = Object.fromEntries(paths.map((path) => [path, rest.paths[path]]));
  const named = new Set<string>();
  const addReferences = (of: unknown): void => {
    for (const [, group = '', name = ''] of JSON.stringify(of).matchAll(/"#\/components\/(\w+)\/(\w+)"/g)) {
      if (named.has(`${group}.${name}`)) continue;
      named.add(`${group}.${name}`);
      addReferences(components[group][name]);
    }
  };
  addReferences(shown);
  const used = Object.entries<Record<string, unknown>>(components).map(([group, of]) => [
    group,
    Object.fromEntries(Object.entries(of).filter(([name]) => named.has(`${group}.${name}`))),
  ]);
  return JSON.stringify({ ...rest, paths: shown, components: Object.fromEntries(used) });
}
