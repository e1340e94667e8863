import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { anonymous, type ApiKeyCaller } from '../../src/auth/caller.ts';
import { scopesAllow, scopesOf } from '../../src/auth/scopes.ts';
import { type Client, clientOf } from '../support/client.ts';
import { documentOf, endpoints, rootFields, smallestValue } from '../support/operations.ts';
import { startTestPlatform, type TestPlatform } from '../support/platform.ts';
import { seedPartner } from '../support/seed.ts';

let platform: TestPlatform;
let clients: Record<'anonymous' | 'subKey' | 'partnerKey', Client>;

beforeAll(async () => {
  platform = await startTestPlatform();
  const partner = await seedPartner(platform);
  clients = { anonymous: clientOf(platform), subKey: (await partner.account()).api, partnerKey: partner.api };
});
afterAll(() => platform?.close());

const key = { keyId: 'ak_1', keyPrefix: 'tp_sk_test_1', mode: 'test', partnerId: 'par_1' } as const;
const callers: Record<'anonymous' | 'subKey' | 'partnerKey', typeof anonymous | ApiKeyCaller> = { anonymous, subKey: { kind: 'subKey', platformAccountId: 'tpa_1', ...key }, partnerKey: { kind: 'partnerKey', ...key } };
const kinds = ['anonymous', 'subKey', 'partnerKey'] as const;

/** What the static scopes say of a caller before anything else is looked at. */
function expectedOf(scopes: Readonly<Record<string, true>>, kind: (typeof kinds)[number]): 200 | 401 | 403 {
  if (scopesAllow(scopes, callers[kind])) return 200;
  return kind === 'anonymous' ? 401 : 403;
}

describe('the access matrix', () => {
  test('every root field has static scopes that exist', () => {
    for (const { field, scopes } of rootFields) {
      expect(Object.keys(scopes).length, field.name).toBeGreaterThan(0);
      for (const name of Object.keys(scopes)) expect(Object.keys(scopesOf(anonymous)), field.name).toContain(name);
    }
  });

  test('the matrix is the one in git', async () => {
    const lines = rootFields.map(({ kind, field, scopes }) => {
      const rest = endpoints.filter((endpoint) => endpoint.field.name === field.name).map(({ method, path }) => `${method} ${path}`);
      const who = kinds.map((caller) => (expectedOf(scopes, caller) === 200 ? caller : '').padEnd(caller.length)).join('  ');
      return `${kind.padEnd(8)}  ${field.name.padEnd(28)}  ${Object.keys(scopes).join('+').padEnd(12)}  ${who}  ${rest.join(', ')}`.trimEnd();
    });
    await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot('access-matrix.txt');
  });

  const cases = rootFields.flatMap((root) => kinds.map((kind) => ({ root, kind, name: `${root.kind}.${root.field.name}`, expected: expectedOf(root.scopes, kind) })));
  test.each(cases)('GraphQL $name asked by $kind: $expected', async ({ root, kind, expected }) => {
    const variables = Object.fromEntries(root.field.args.filter((arg) => String(arg.type).endsWith('!')).map((arg) => [arg.name, smallestValue(arg.type, arg.name, {})]));
    const { errors } = await clients[kind].graphql(documentOf(root, 1), variables);
    const code = errors?.[0]?.extensions?.code;
    const reason = errors?.[0]?.extensions?.data?.reason;
    if (expected === 401) expect(code).toBe('NOT_AUTHORIZED');
    else if (expected === 403) expect([code, reason]).toEqual(['FORBIDDEN', 'forbidden_scope']);
    else expect(['NOT_AUTHORIZED', 'FORBIDDEN']).not.toContain(code);
  });

  const calls = endpoints.flatMap((endpoint) => kinds.map((kind) => ({ endpoint, kind, name: `${endpoint.method} ${endpoint.path}`, expected: expectedOf(endpoint.scopes as Record<string, true>, kind) })));
  test.each(calls)('REST $name asked by $kind: $expected', async ({ endpoint, kind, expected }) => {
    // A body that is no JSON: kind of caller comes before it is read, so only who may call hears of it.
    const path = endpoint.path.replace(/:\w+/g, 'nothing_0000000000000000');
    const takesBody = endpoint.method === 'POST' || endpoint.method === 'PUT';
    const answer = await clients[kind].call(path, takesBody ? '{' : undefined, { method: endpoint.method });
    if (expected !== 200) expect(answer.status).toBe(expected);
    else if (takesBody) expect(answer.status).toBe(400);
    else expect([200, 404]).toContain(answer.status);
  });
});
