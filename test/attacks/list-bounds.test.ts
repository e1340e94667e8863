import { type GraphQLInputType, getNamedType, getNullableType, isInputObjectType, isListType } from 'graphql';
import { describe, expect, test } from 'vitest';
import { issuesOfPlan } from '../../src/graph/input/check.ts';
import { listMaxOf } from '../../src/graph/input/rules.ts';
import { endpoints, iamEndpoints, rootFields, withLeaf } from '../support/operations.ts';
import { usePlatform } from '../support/platform.ts';
import { seedPartner } from '../support/seed.ts';

const platform = await usePlatform();
const account = await (await seedPartner(platform)).account();

interface Input {
  name: string;
  type: GraphQLInputType;
}

/** Every list in an input, at any depth. */
function listsIn({ name, type: given }: Input): { path: string[]; type: GraphQLInputType }[] {
  const type = getNullableType(given);
  const named = getNamedType(type);
  const below = isInputObjectType(named) ? Object.values(named.getFields()) : [];
  return [
    ...(isListType(type) ? [{ path: [name], type }] : []),
    ...below.flatMap((field) => listsIn(field).map((list) => ({ ...list, path: [name, ...list.path] }))),
  ];
}

/** The paths that are refused when a list has so many values. Each value is wrong, and no error names one. */
function refusedWith(inputs: readonly Input[], count: (max: number) => number): string[] {
  return inputs.flatMap(listsIn).flatMap(({ path, type }) => {
    const values = Array.from({ length: count(listMaxOf(type)) }, () => Symbol('not looked at'));
    const value = withLeaf(inputs, {}, { path, type, isList: false }, values, {});
    const plan = inputs.map((input) => ({ ...input, rawDefault: undefined, path: input.name }));
    const issues = issuesOfPlan(plan, value).filter(({ path: at }) =>
      path.join('.').startsWith(at.split('[')[0] ?? ''),
    );
    return issues.some(({ message }) => message === `must contain at most ${listMaxOf(type)} items`)
      ? [path.join('.')]
      : [];
  });
}

const operations: readonly { name: string; inputs: readonly Input[] }[] = [
  ...rootFields.map(({ field }) => ({ name: field.name, inputs: field.args })),
  ...[...endpoints, ...iamEndpoints].map(({ path, variables }) => ({ name: path, inputs: variables })),
];

describe('how many values a list in a request may have', () => {
  test('every list of every argument and endpoint has a bound, which is checked before its values', () => {
    const all = operations.flatMap(({ name, inputs }) =>
      inputs.flatMap(listsIn).map(({ path }) => [name, path.join('.')]),
    );
    expect(all.length).toBeGreaterThan(150);
    const beyond = operations.flatMap(({ name, inputs }) =>
      refusedWith(inputs, (max) => max + 1).map((at) => [name, at]),
    );
    expect(beyond).toEqual(all);
    expect(operations.flatMap(({ inputs }) => refusedWith(inputs, (max) => max))).toEqual([]);
  });

  const ids = (count: number): string[] => Array.from({ length: count }, (_, index) => `store_${index}`);

  test.each([
    ['/payments', 'storeId'],
    ['/orders/list', 'storeId'],
    ['/customers/list', 'storeId'],
  ])('REST %s: 200 with 100 values of a filter, 400 with 101, naming it', async (path, name) => {
    expect((await account.api.call(path, { filters: { [name]: ids(100) } })).status).toBe(200);
    const { status, body } = await account.api.call(path, { filters: { [name]: ids(101) } });
    expect([status, body.data.issues]).toEqual([
      400,
      [{ path: `filters.${name}`, message: 'must contain at most 100 items' }],
    ]);
  });

  const first = (count: number, query: string) => account.api.graphql(query, { s: ids(count) });

  test('GraphQL: 400 with 101 values in a variable or in the document, in whatever place', async () => {
    const variable = 'query ($s: [ID!]) { payments(filters: { storeId: $s }) { total } }';
    expect((await first(100, variable)).errors).toBeUndefined();
    expect((await first(101, variable)).errors[0].extensions.data.issues).toEqual([
      { path: 's', message: 'must contain at most 100 items' },
    ]);
    const literal = (count: number): string => JSON.stringify(ids(count));
    const written = (count: number): string => `{ payments(filters: { storeId: ${literal(count)} }) { total } }`;
    expect((await first(1, written(100))).errors).toBeUndefined();
    for (const query of [
      written(101),
      `query ($a: [ID!] = ${literal(101)}) { payments(filters: { storeId: $a }) { total } }`,
      `{ ...F } fragment F on Query { payments(filters: { storeId: ${literal(101)} }) { total } }`,
    ])
      expect((await first(1, query)).errors[0].message).toContain('must contain at most 100 items');
  });

  test('GraphQL: 400 when fields use the values of one variable so often that the cost exceeds 20,000', async () => {
    const query = (aliases: number): string =>
      `query ($s: [ID!]) { ${Array.from({ length: aliases }, (_, i) => `a${i}: payments(pageSize: 1, filters: { storeId: $s }) { total }`).join(' ')} }`;
    expect((await first(100, query(19))).errors).toBeUndefined();
    expect((await first(100, query(20))).errors[0].message).toContain('exceeds the query limits (complexity)');
    expect((await first(10, query(20))).errors).toBeUndefined();
  });
});
