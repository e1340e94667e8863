// guards: rest/engine rest/engine/surfaces.ts src/graph src/lib src/runtime/http-server.ts src/schema.ts
import fc from 'fast-check';
import {
  type GraphQLInputType,
  getNamedType,
  isInputObjectType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql';
import { describe, expect, test } from 'vitest';
import { type Endpoint, loadEndpoints } from '../../rest/engine/endpoint.ts';
import { surfaces } from '../../rest/engine/surfaces.ts';
import { schema } from '../../src/schema.ts';
import { signedIn } from '../iam/people.ts';
import { tooLong } from '../support/cost.ts';
import { type RootField, rootFields, smallestValue } from '../support/operations.ts';
import { usePlatform } from '../support/platform.ts';
import { disableRateLimits } from '../support/rates.ts';
import { seedPartner } from '../support/seed.ts';

/** Generous: the processor time of one turn includes collecting garbage. */
const bound = { times: 8, leastMs: 8 };

type Name = keyof typeof surfaces;
const names = ['public', 'plugins', 'iam'] as const;
const endpoints = Object.fromEntries(names.map((name) => [name, loadEndpoints(schema, name)])) as unknown as Record<
  Name,
  Endpoint[]
>;

function endpointOf(name: string): Endpoint {
  const endpoint = endpoints.public.find((one) => one.name === name);
  if (!endpoint) throw new Error(`There is no endpoint ${name}.`);
  return endpoint;
}

const takesBody = ({ method }: Endpoint): boolean => method !== 'GET' && method !== 'DELETE';

/** `more` is the body; without one the value of every parameter in the address, or null for none. */
async function send(name: Name, endpoint: Endpoint, more: string | null): Promise<number> {
  const { method, path, scopes } = endpoint;
  const body = takesBody(endpoint) ? more : null;
  const address = body === null ? addressOf(endpoint, more) : path.replace(/:\w+/g, 'x'.repeat(200));
  const url = `${platform.url}${surfaces[name].root}${address}`;
  const key = scopes.partnerKey ? partnerKey : account.subKey;
  const response = await fetch(url, {
    method,
    headers: {
      ...(name === 'iam' ? { Cookie: person.cookie, Origin: platform.url } : { Authorization: `Bearer ${key}` }),
      'Content-Type': 'application/json',
    },
    body,
  });
  await response.arrayBuffer();
  return response.status;
}

/** Of all parts of an address together; Node takes 16 KiB of head. */
const addressLength = 12_000;
const parts = ['a', '%C3%A4', '%F0%9F%92%B3', '%00', '..%2F', '%25'];

const platform = await usePlatform();
await disableRateLimits(platform);
const partner = await seedPartner(platform);
const partnerKey = partner.partnerKey;
const account = await partner.account();
const person = await signedIn(platform, { platformRoles: ['superadmin'] });
const honest = JSON.stringify({ email: 'payer@example.com', metadata: 'x'.repeat(1_000_000) });
/** An honest request with the largest body, and one without a body. */
const honestPost: () => Promise<unknown> = () => send('public', endpointOf('CreateCustomer'), honest);
const honestGet: () => Promise<unknown> = () => send('public', endpointOf('GetCustomer'), null);
// The first calls compile what they run.
for (let run = 0; run < 3; run += 1) await Promise.all([honestPost(), honestGet()]);

/** The nastiest address: long parameters of the path and the query, repeated ones, and many that do not exist. */
function addressOf({ path, queryParams }: Endpoint, part: string | null): string {
  if (part === null) return path.replace(/:\w+/g, 'x'.repeat(26));
  const inPath = path.match(/:\w+/g)?.length ?? 0;
  const each = Math.floor(addressLength / (inPath + queryParams.length + 1) / part.length);
  const long = part.repeat(each);
  const known = queryParams.flatMap(({ name }) => [`${name}=${long}`, `${name}=1`]);
  const unknown = Array.from({ length: Math.floor((each * part.length) / 8) }, (_, index) => `q${index}=${index % 10}`);
  return `${path.replace(/:\w+/g, long)}?${[...known, ...unknown].join('&')}`;
}

/** A body of about a megabyte, by which each step of reading, checking and answering has the most to do. */
const shapes = [
  'manyFields',
  'fewerFields',
  'manyNumbers',
  'manyObjects',
  'deep',
  'longText',
  'fractions',
  'hugeNumber',
] as const;

function bodyOf(shape: (typeof shapes)[number], type: GraphQLInputType, seed: number): unknown {
  const count = (size: number): number[] =>
    Array.from({ length: size }, (_, index) => (index * 7919 + seed) % 1_000_003);
  switch (shape) {
    case 'manyFields':
      return Object.fromEntries(count(50_000).map((n) => [`field${n}`, n]));
    case 'fewerFields':
      return Object.fromEntries(count(9_000).map((n) => [`field${n}`.padEnd(90, '_'), n]));
    case 'manyNumbers':
      return count(120_000);
    case 'manyObjects':
      return count(Math.floor(900_000 / (30 + JSON.stringify(smallest(type)).length))).map((n) => ({
        [`field${n % 50}`]: n,
        ...smallest(type),
      }));
    case 'deep':
      return count(60).reduce<unknown>((inner) => ({ metadata: inner, filters: inner === 1 ? [] : { a: 1 } }), 1);
    case 'longText':
      return 'ä1€ '.repeat(120_000);
    case 'fractions':
      return count(60_000).map((n) => n + 0.5);
    default:
      return 1e300;
  }
}

function smallest(type: GraphQLInputType): object {
  const named = getNamedType(type);
  return isInputObjectType(named) ? Object.fromEntries(Object.keys(named.getFields()).map((name) => [name, ''])) : {};
}

/** A body in which one field, at the top or one level below, is nasty. */
function nasty({ variables, body }: Endpoint, shape: (typeof shapes)[number], seed: number): string {
  const fields = new Map<string, GraphQLInputType>();
  for (const { name, type } of variables) {
    const named = getNamedType(type);
    if (name === body.wholeAs && isInputObjectType(named))
      for (const field of Object.values(named.getFields())) fields.set(field.name, field.type);
    else if (body.fields.has(name)) fields.set(name, type);
  }
  const [name = 'unknown', type] = [...fields][seed % Math.max(1, fields.size)] ?? [];
  if (!type || (shape === 'manyFields' && seed % 2 === 0))
    return JSON.stringify(
      bodyOf('manyFields', getNamedType(variables[0]?.type ?? schema.getType('String')) as never, seed),
    );
  const value = bodyOf(shape, type, seed);
  const bare = isNonNullType(type) ? type.ofType : type;
  const inner = isInputObjectType(bare) ? Object.values(bare.getFields())[seed % 7] : undefined;
  const whole =
    isListType(bare) && !Array.isArray(value) ? [value] : inner && seed % 3 > 0 ? { [inner.name]: value } : value;
  return JSON.stringify({ amount: 1, [name]: whole });
}

describe('what one REST request may cost', () => {
  const cases = names.flatMap((name) => endpoints[name].map((endpoint) => ({ name, endpoint })));

  test('no endpoint holds the event loop much longer than an honest request with a body of that size', async () => {
    const samples = fc.sample(fc.tuple(fc.constantFrom(...shapes), fc.nat(10_000)), {
      seed: 24,
      numRuns: cases.length,
    });
    const found: string[] = [];
    for (const [index, { name, endpoint }] of cases.entries()) {
      const [shape, seed] = samples[index] ?? ['deep', 0];
      const nastyOnes = takesBody(endpoint) ? [nasty(endpoint, shape, seed)] : parts;
      for (const more of nastyOnes) {
        const honest = takesBody(endpoint) ? honestPost : honestGet;
        const { result, problem } = await tooLong(() => send(name, endpoint, more), honest, bound);
        if (problem !== null || result === 500 || result === 431)
          found.push(`${name} ${endpoint.path}: ${shape}, ${more.slice(0, 20)}: ${result}, ${problem}`);
      }
    }
    expect(found).toEqual([]);
  });
});

/** One operation with as many aliases of a root field as the bounds admit, with a nasty text in each free argument. */
function manyAliases({ kind, field }: RootField, seed: number): { query: string; variables: Record<string, unknown> } {
  const named = getNamedType(field.type);
  const leaves = isObjectType(named)
    ? Object.values(named.getFields()).filter(({ type }) => isLeafType(getNamedType(type)))
    : [];
  const selection = isLeafType(named) ? '' : `{ ${['__typename', ...leaves.map(({ name }) => name)].join(' ')} }`;
  const aliases = Math.min(kind === 'query' ? 50 : 10, Math.floor(490 / (leaves.length + 2)));
  const text = 'ä%_\\'.repeat(1 + (seed % 400));
  const variables = Object.fromEntries(
    field.args.map(({ name, type }) => [
      name,
      name === 'pageSize'
        ? 100
        : isNonNullType(type)
          ? smallestValue(type, name, { storeId: account.storeId, mode: 'test' })
          : String(type) === 'String'
            ? text
            : undefined,
    ]),
  );
  const given = field.args.map(({ name }) => `${name}: $${name}`).join(', ');
  const declared = field.args.map(({ name, type }) => `$${name}: ${String(type)}`).join(', ');
  const calls = Array.from(
    { length: aliases },
    (_, index) => `a${index}: ${field.name}${given && `(${given})`} ${selection}`,
  );
  return { query: `${kind}${declared && ` (${declared})`} { ${calls.join(' ')} }`, variables };
}

describe('what one GraphQL operation may cost', () => {
  test('no root field holds the event loop much longer than an honest request, with as many aliases as there may be', async () => {
    const seeds = fc.sample(fc.nat(10_000), { seed: 24, numRuns: rootFields.length });
    const found: string[] = [];
    let requested = 0;
    for (const [index, root] of rootFields.entries()) {
      const { query, variables } = manyAliases(root, seeds[index] ?? 0);
      const takesPerson = ![
        'key',
        'partnerKey',
        'testKey',
        'suspendedKey',
        'suspendedPartnerKey',
        'suspendedTestKey',
      ].some((scope) => scope in root.scopes);
      const ask = async (): Promise<string[]> => {
        const response = await fetch(`${platform.url}/graphql`, {
          method: 'POST',
          headers: {
            'Content-Type': 'application/json',
            ...(takesPerson
              ? { Cookie: person.cookie, Origin: platform.url }
              : { Authorization: `Bearer ${'partnerKey' in root.scopes ? partnerKey : account.subKey}` }),
          },
          // A document that was seen before is not parsed again.
          body: JSON.stringify({ query: `${query} # ${requested++}`, variables }),
        });
        const { errors = [] } = await response.json();
        return errors.map(({ extensions }: { extensions: { code: string } }) => extensions.code);
      };
      const { result, problem } = await tooLong(ask, honestPost, bound);
      if (problem !== null || result.includes('INTERNAL_SERVER_ERROR'))
        found.push(`${root.kind} ${root.field.name}: ${[...new Set(result)].join()}, ${problem}`);
    }
    expect(found).toEqual([]);
  });
});
