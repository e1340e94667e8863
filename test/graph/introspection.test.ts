import { getIntrospectionQuery } from 'graphql';
import { expect, test } from 'vitest';
import { startTestPlatform, usePlatform } from '../support/platform.ts';
import { seedPartner } from '../support/seed.ts';

const platform = await usePlatform({ env: { GRAPHQL_INTROSPECTION: 'false' } });
const { api } = await seedPartner(platform);

const readings = {
  'the query of tools': getIntrospectionQuery(),
  __schema: '{ __schema { queryType { name } } }',
  __type: '{ __type(name: "Payment") { name } }',
  '__schema in a fragment': 'query { ...Root } fragment Root on Query { s: __schema { types { name } } }',
};

test.each(
  Object.entries(readings),
)('GRAPHQL_INTROSPECTION=false: %s reads nothing of the schema', async (_by, query) => {
  const { data, errors } = await api.graphql(query);
  expect(data ?? null).toBeNull();
  expect(errors[0].message).toContain('introspection');
});

test('GRAPHQL_INTROSPECTION=false: an operation is answered as before, with __typename', async () => {
  const answer = await api.graphql('{ __typename authTest { ok __typename } }');
  expect(answer).toEqual({ data: { __typename: 'Query', authTest: { ok: true, __typename: 'AuthTest' } } });
});

test('with introspection, which is the default outside production, each of them is answered', async () => {
  const open = await startTestPlatform();
  try {
    const { api } = await seedPartner(open);
    for (const query of Object.values(readings)) expect((await api.graphql(query)).errors).toBeUndefined();
  } finally {
    await open.close();
  }
});
