import { describe, expect, test } from 'vitest';
import { usePlatform } from '../support/platform.ts';
import { seedPartner } from '../support/seed.ts';

const platform = await usePlatform();
const account = await (await seedPartner(platform)).account();

describe('the fields of a body', () => {
  test.each([
    [10_000, 200],
    [10_001, 400],
  ])('a body of %i fields in all of its objects: %i', async (count, status) => {
    const fields = Object.fromEntries(Array.from({ length: count - 3 }, (_, index) => [`field${index}`, index]));
    const answer = await account.api.call('/customers/list', { ...fields, more: { a: { b: 'c: d, "e": 1' } } });
    expect([answer.status, answer.body.message ?? '']).toEqual([
      status,
      status === 200 ? '' : expect.stringContaining('the body has more than 10000 fields'),
    ]);
  });

  test.each([
    ['numbers', '1', 1],
    ['empty objects', '{}', 2],
  ])('400 for more than 10,000 elements of lists, %s, with and without a credential', async (_what, item, each) => {
    const most = Math.floor((10_000 - 5) / each);
    const list = (count: number): string => `[${Array<string>(count).fill(item).join()}]`;
    const graph = async (count: number, headers: Record<string, string>): Promise<string> => {
      const body = `{"query":"{ __typename }","variables":{"a":${list(count)}}}`;
      const response = await fetch(`${platform.url}/graphql`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', ...headers },
        body,
      });
      const { data, errors } = await response.json();
      return errors?.[0].message ?? data.__typename;
    };
    const refused = expect.stringContaining('the body has more than 10000 fields and list elements');
    const callers: Record<string, string>[] = [{}, { Authorization: `Bearer ${account.subKey}` }];
    for (const headers of callers) {
      expect(await graph(most, headers)).toBe('Query');
      expect(await graph(10_001, headers)).toEqual(refused);
    }
    expect((await account.api.call('/customers/list', `{"x":${list(most)}}`)).status).toBe(200);
    const { status, body } = await account.api.call('/customers/list', `{"x":${list(10_001)}}`);
    expect([status, body.message]).toEqual([400, refused]);
  });

  test('deploying a plugin takes 25,000 fields and elements, and 400 beyond', async () => {
    const ask = async (count: number): Promise<string> => {
      const { status, body } = await account.api.call('/plugins/v2/deploy', { presets: { a: Array(count).fill(1) } });
      return `${status} ${body.issues[0].message}`;
    };
    expect(await ask(24_998)).toBe('400 is required');
    expect(await ask(25_001)).toBe('400 the body has more than 25000 fields and list elements');
  });

  test.each([
    ['{"email":"a@example.com","email":"b@example.com"}', 'email'],
    ['{"email":"a@example.com","metadata":{"a":1,"b":[{"c":1},{"c":1}],"\\u0061":2}}', 'a'],
    ['{"email":"a@example.com","metadata":{"__proto__":1,"__proto__":1}}', '__proto__'],
  ])('400 naming a field that one object has twice: %s', async (text, name) => {
    const { status, body } = await account.api.call('/customers/create', text);
    expect([status, body.data.issues]).toEqual([
      400,
      [{ path: name, message: 'is sent more than once in one object' }],
    ]);
    expect((await account.api.ok('/customers/list', {})).total).toBe(0);
  });
});
