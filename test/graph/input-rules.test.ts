import { type GraphQLInputType, getNamedType, isInputObjectType } from 'graphql';
import { expect, test } from 'vitest';
import { issuesOfPlan } from '../../src/graph/input/check.ts';
import { brokenRules, listMaxOf } from '../../src/graph/input/rules.ts';
import { rootFields } from '../support/operations.ts';
import { usePlatform } from '../support/platform.ts';
import { seedPartner } from '../support/seed.ts';

interface Declared {
  name: string;
  type: GraphQLInputType;
  extensions: Readonly<Record<string | symbol, unknown>>;
}

/** Every argument of a root field and every field of an input, each once. */
function everyInput(): Declared[] {
  const found = new Set<Declared>();
  const add = (inputs: readonly Declared[]): void => {
    for (const input of inputs) {
      const type = getNamedType(input.type);
      if (found.has(input)) continue;
      found.add(input);
      if (isInputObjectType(type)) add(Object.values(type.getFields()));
    }
  };
  for (const { field } of rootFields) add(field.args);
  return [...found];
}

/** A value that breaks the rule that an extension declares. */
const breaking: Readonly<Record<string, (input: Declared) => unknown>> = {
  isNotNull: () => null,
  exactlyOneOf: () => ({}),
  isHttpsWhenLive: () => 'http://example.com',
  listMax: ({ type }) => Array.from({ length: listMaxOf(type) + 1 }, () => ({})),
};

/** What a scalar declares about its values, which its parser enforces, and what REST does not have (keys-and-people). */
const ofOthers = new Set(['jsonSchema', 'isAmount', 'rest']);

test('an extension of an input that nothing enforces fails', () => {
  const rules = everyInput().flatMap((input) => {
    const declared = { ...getNamedType(input.type).extensions, ...input.extensions };
    const names = Object.keys(declared).filter((name) => !name.startsWith('pothos') && !ofOthers.has(name));
    return names.map((name) => ({ name, input }));
  });
  expect(new Set(rules.map(({ name }) => name))).toEqual(new Set(Object.keys(breaking)));
  const ignored = rules.filter(({ name, input }) => {
    const values = { [input.name]: breaking[name]?.(input) };
    const plan = [{ ...input, rawDefault: undefined, path: input.name }];
    return brokenRules([input], values, true).length === 0 && issuesOfPlan(plan, values).length === 0;
  });
  expect(ignored.map(({ name, input }) => `${input.name}: ${name}`)).toEqual([]);
});

const platform = await usePlatform();
const account = await (await seedPartner(platform)).account();

test.each([
  ['mutation { updateStore(storeId: "x", input: { name: null }) { id } }', ['name']],
  ['{ customers(page: null, filters: { email: null }) { total } }', ['page', 'filters.email']],
  [
    'mutation { cancelSubscription(input: { subscriptionId: "a", subscriptionIds: ["b"] }) { __typename } }',
    ['subscriptionIds'],
  ],
  ['mutation { cancelSubscription(input: {}) { __typename } }', ['subscriptionId']],
])('a rule is enforced for what is written in the document: %s', async (query, paths) => {
  const { errors } = await account.api.graphql(query);
  const error = errors[0].extensions;
  expect(error.code).toBe('INPUT_PARSE_ERROR');
  expect(error.data.issues.map(({ path }: { path: string }) => path).toSorted()).toEqual(paths.toSorted());
});
