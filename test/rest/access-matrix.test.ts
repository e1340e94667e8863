import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { compile, type Endpoint } from '../../rest/engine/endpoint.ts';
import { anonymous, isApiKey } from '../../src/auth/caller.ts';
import { scopesOf } from '../../src/auth/scopes.ts';
import { type FieldLimit, rateLimitOfField } from '../../src/graph/field-limits.ts';
import { freshSecondFactorName } from '../../src/graph/fresh-second-factor.ts';
import { schema } from '../../src/schema.ts';
import { type SignedIn, signedIn } from '../iam/people.ts';
import {
  callerOf,
  expectedOf,
  type KeyKind,
  type Kind,
  keyKinds,
  kinds,
  type SessionKind,
  sessionKinds,
  sessions,
} from '../support/callers.ts';
import { type Client, clientOf } from '../support/client.ts';
import {
  documentOf,
  endpoints,
  iamEndpoints,
  namesOf,
  type RootField,
  rootFields,
  scopedFields,
  smallestValue,
} from '../support/operations.ts';
import { usePlatform } from '../support/platform.ts';
import { seedPartner } from '../support/seed.ts';

const platform = await usePlatform();
const partner = await seedPartner(platform);
const whitelabelOwnership = (await platform.services.prisma.partner.findUniqueOrThrow({ where: { id: partner.id } }))
  .slug;
const account = await partner.account();
// A store that is not visible to the key would be forbidden for a different reason.
const storeId = account.storeId;
const keys: Record<KeyKind, Client> = { anonymous: clientOf(platform), subKey: account.api, partnerKey: partner.api };
const signIns = sessionKinds.map(
  async (kind) =>
    [
      kind,
      await signedIn(platform, {
        platformRoles: [...sessions[kind].platformRoles],
        whitelabelOwnership: sessions[kind].isScoped ? whitelabelOwnership : null,
      }),
    ] as const,
);
const people: Record<SessionKind, SignedIn> = Object.fromEntries(await Promise.all(signIns)) as typeof people;
// one entry per kind
const clients: Record<Kind, Pick<Client, 'graphql'>> = { ...keys, ...people };

describe('the access matrix', () => {
  test('every root field has static scopes that exist', () => {
    for (const { field, scopes } of rootFields)
      for (const name of namesOf(scopes).split('/'))
        expect(Object.keys(scopesOf(anonymous)), field.name).toContain(name);
  });

  test('every document can be compiled', () => {
    for (const { document } of [...endpoints, ...iamEndpoints])
      expect(compile(schema, document), document.source).toBeTypeOf('function');
  });

  test('every endpoint of IAM is POST', () => {
    expect(iamEndpoints.filter(({ method }) => method !== 'POST')).toEqual([]);
    expect(iamEndpoints.length).toBeGreaterThan(15);
  });

  test('the matrix is the tracked one', async () => {
    const lines = rootFields.map(({ kind, field, scopes }) => {
      const rest = [...endpoints, ...iamEndpoints]
        .filter((endpoint) => endpoint.field.name === field.name)
        .map(({ method, path }) => `${method} ${path}`);
      const who = kinds
        .map((caller) => (expectedOf(scopes, caller) === 200 ? caller : '').padEnd(caller.length))
        .join('  ');
      const row = [
        kind.padEnd(8),
        field.name.padEnd(28),
        namesOf(scopes).padEnd(26),
        who,
        rest.join(', '),
        boundsOf(field),
      ];
      return row.join('  ').trimEnd();
    });
    const fields = scopedFields.map(({ type, field, scopes }) => {
      const name = `${type.name}.${field.name}`;
      const who = kinds
        .map((caller) => (expectedOf(scopes, caller) === 200 ? caller : '').padEnd(caller.length))
        .join('  ');
      return `field     ${name.padEnd(32)}  ${namesOf(scopes).padEnd(26)}  ${who}`.trimEnd();
    });
    await expect(`${[...lines, ...fields].join('\n')}\n`).toMatchFileSnapshot('access-matrix.txt');
  });

  const allowed = allowedOf(readFileSync(join(import.meta.dirname, 'access-matrix.txt'), 'utf8'));

  test.each(
    rootFields.map((root) => ({ root, name: `${root.kind} ${root.field.name}` })),
  )('$name refuses a caller who is not in its row, over GraphQL and REST', async ({ root, name }) => {
    // One that has a credential of the right kind, if there is one.
    const refused = kinds.filter((kind) => !allowed.get(name)?.has(kind));
    const caller = refused.find((kind) => expectedOf(root.scopes, kind) === 403) ?? 'anonymous';
    expect(refused).toContain(caller);
    await expectReply(root, caller, expectedOf(root.scopes, caller));
    for (const endpoint of endpoints.filter(({ rootField }) => rootField === root.field.name))
      await expectAnswer(endpoint, 'anonymous', 401);
  });

  test.each(
    distinct(rootFields, ({ scopes }) => namesOf(scopes)).flatMap((root) =>
      kinds.map((kind) => ({
        root,
        kind,
        scopes: namesOf(root.scopes),
        expected: allowed.get(`${root.kind} ${root.field.name}`)?.has(kind) ? 200 : expectedOf(root.scopes, kind),
      })),
    ),
  )('scopes $scopes, called by $kind over GraphQL: $expected', ({ root, kind, expected }) =>
    expectReply(root, kind, expected));

  test.each(
    distinct(endpoints, ({ scopes, method }) => `${method} ${Object.keys(scopes).sort().join()}`).flatMap((endpoint) =>
      keyKinds.map((kind) => ({
        endpoint,
        kind,
        name: `${endpoint.method} ${endpoint.path}`,
        expected: expectedOf(endpoint.scopes, kind),
      })),
    ),
  )('REST $name called by $kind: $expected', ({ endpoint, kind, expected }) => expectAnswer(endpoint, kind, expected));

  test.each(
    distinct(iamEndpoints, ({ scopes }) => Object.keys(scopes).sort().join()).flatMap((endpoint) =>
      sessionKinds.map((kind) => ({
        endpoint,
        kind,
        name: `${endpoint.method} ${endpoint.path}`,
        expected: expectedOf(endpoint.scopes, kind),
      })),
    ),
  )('IAM REST $name called by $kind: $expected', async ({ endpoint, kind, expected }) => {
    const { status } = await people[kind].iam(endpoint.path.replace(/:\w+/g, 'nobodys'), '{');
    expect(status).toBe(expected === 403 ? 403 : 422);
  });
});

function boundsOf({ extensions }: RootField['field']): string {
  const limit = extensions[rateLimitOfField] as FieldLimit | undefined;
  const factor = extensions[freshSecondFactorName] ? ['second factor of the last ten minutes'] : [];
  return [...(limit ? [`at most ${limit.max} in ${limit.window}`] : []), ...factor].join(', ');
}

/** Who may call a root field, by its kind and name, as the tracked table prints it. */
function allowedOf(table: string): ReadonlyMap<string, ReadonlySet<string>> {
  return new Map(
    table.split('\n').map((line) => {
      const [kind, field, , ...callers] = line.split(/ {2,}/);
      return [`${kind} ${field}`, new Set(callers)];
    }),
  );
}

/** The first of those that are the same by what `by` says of them. */
function distinct<Item>(items: readonly Item[], by: (item: Item) => string): Item[] {
  return [...new Map(items.toReversed().map((item) => [by(item), item])).values()].toReversed();
}

async function expectReply(root: RootField, kind: Kind, expected: 200 | 401 | 403): Promise<void> {
  const variables = Object.fromEntries(
    root.field.args
      .filter((arg) => String(arg.type).endsWith('!'))
      .map((arg) => [arg.name, smallestValue(arg.type, arg.name, { storeId })]),
  );
  const { errors } = await clients[kind].graphql(documentOf(root, 1), variables);
  const code = errors?.[0]?.extensions?.code;
  const reason = errors?.[0]?.extensions?.data?.reason;
  if (expected === 401) expect(code).toBe('NOT_AUTHORIZED');
  else if (expected === 403)
    expect([code, reason]).toEqual(['FORBIDDEN', isApiKey(callerOf(kind)) ? 'forbidden_scope' : 'caller_lacks_role']);
  else if (!(kind in sessions)) expect(['NOT_AUTHORIZED', 'FORBIDDEN']).not.toContain(code);
  // A policy may still reject the request, with a different error.
  else
    expect([code, errors?.[0]?.message]).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/^NOT_AUTHORIZED$|^Your role does not allow this/)]),
    );
}

async function expectAnswer(endpoint: Endpoint, kind: KeyKind, expected: 200 | 401 | 403): Promise<void> {
  // The body is not valid JSON. The kind of caller is checked before it is parsed, so only an authorized caller gets
  // 400.
  const path = endpoint.path.replace(/:\w+/g, 'nothing_0000000000000000');
  const takesBody = endpoint.method === 'POST' || endpoint.method === 'PUT';
  const answer = await keys[kind].call(path, takesBody ? '{' : undefined, { method: endpoint.method });
  if (expected !== 200) expect(answer.status).toBe(expected);
  else if (takesBody) expect(answer.status).toBe(400);
  else expect([200, 404]).toContain(answer.status);
}
