import { parse, validate } from 'graphql';
import { expect, test } from 'vitest';
import { tabsOfKey, tabsOfPerson } from '../../../rest/pages/developers/graphiql-tabs.ts';
import type { SessionCaller } from '../../../src/auth/caller.ts';
import { schema } from '../../../src/schema.ts';

const person: SessionCaller = {
  kind: 'session',
  userId: 'user_1',
  email: 'hub@example.com',
  platformRoles: ['hubadmin'],
  whitelabelOwnership: null,
  partnerId: null,
  sessionId: 'ses_1',
  impersonatorId: null,
};
const tabs = [...tabsOfKey(undefined), ...tabsOfPerson(person, new Date('2026-11-01T00:00:00Z'), {})];

test('every tab of GraphiQL is valid for the schema', () => {
  expect(tabs.length).toBeGreaterThan(10);
  expect(tabs.flatMap(({ query }) => validate(schema, parse(query)).map(({ message }) => message))).toEqual([]);
});

test('keys and people begin with the same query', () => {
  const [ofKey] = tabsOfKey(undefined);
  const [ofPerson] = tabsOfPerson(person, new Date('2026-11-01T00:00:00Z'), {});
  expect([ofPerson?.query, ofPerson?.variables]).toEqual([ofKey?.query, ofKey?.variables]);
});
