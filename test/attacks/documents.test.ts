import { getIntrospectionQuery } from 'graphql';
import { describe, expect, test } from 'vitest';
import { costOf, steadyCostOf, usualTurnOf } from '../support/cost.ts';
import { usePlatform } from '../support/platform.ts';
import { seedPartner } from '../support/seed.ts';

const wholeSchema = 'types { name fields { name args { name description type { name kind ofType { name } } } } }';

const platform = await usePlatform();
const account = await (await seedPartner(platform)).account();

interface Requested {
  status: number;
  errors: { message: string; extensions: { code: string } }[] | undefined;
  data: any;
}

/** Asks without a credential unless one is given. A client of `application/graphql-response+json` gets a status. */
async function ask(
  query: string,
  { method = 'POST', key }: { method?: 'GET' | 'POST'; key?: string } = {},
): Promise<Requested> {
  const headers = {
    Accept: 'application/graphql-response+json',
    ...(key !== undefined && { Authorization: `Bearer ${key}` }),
  };
  const response =
    method === 'GET'
      ? await fetch(`${platform.url}/graphql?query=${encodeURIComponent(query)}`, { headers })
      : await fetch(`${platform.url}/graphql`, {
          method: 'POST',
          headers: { ...headers, 'Content-Type': 'application/json' },
          body: JSON.stringify({ query }),
        });
  const { errors, data } = await response.json();
  return { status: response.status, errors, data };
}

const list = (length: number, item: (index: number) => string): string =>
  Array.from({ length }, (_, i) => item(i)).join(' ');

/** A document of that many tokens: a list in a field. */
const ofTokens = (tokens: number): string => `{ __type(name: [${'1 '.repeat(tokens - 12)}]) { name } }`;

/** A field inside of fields, on that many levels in all. */
function chain(levels: number, paymentId: string): string {
  const inner = Array.from({ length: levels - 2 }, (_, i) => (i % 2 === 0 ? 'subscription' : 'latestPayment'));
  const outer = [`payment(paymentId: "${paymentId}")`, ...inner];
  return `{ ${outer.map((field) => `${field} { `).join('')}id ${'} '.repeat(outer.length)}}`;
}

/** That many fields, in at most 50 root fields. */
function wide(fields: number): string {
  const [first, more] = [`a0: authTest { ${list(fields - 49 * 6 - 1, (j) => `b${j}: ok`)} }`, 49];
  return `{ ${first} ${list(more, (i) => `a${i + 1}: authTest { ${list(5, (j) => `b${j}: ok`)} }`)} }`;
}

/** Fragments of which each spreads the next one twice: expanded, 2 to the power of `levels`. */
const doubling = (levels: number): string =>
  `{ ...F0 } ${list(levels, (i) => `fragment F${i} on Query { ...F${i + 1} ...F${i + 1} }`)} ` +
  `fragment F${levels} on Query { __typename }`;

/** As `doubling`, and each spread adds fields to the answer. */
const doublingFields = (levels: number): string =>
  `{ __schema { ...F0 } } fragment F0 on __Schema { queryType { ...F1 } } ` +
  `${list(levels, (i) => `fragment F${i + 1} on __Type { a: ofType { ...F${i + 2} } b: ofType { ...F${i + 2} } }`)} ` +
  `fragment F${levels + 1} on __Type { name }`;

/** The clock of processor time is coarse, and what takes less than this does no harm. */
const atLeastMs = 2.5;

describe('what one GraphQL document may cost', () => {
  test.each([
    'GET',
    'POST',
  ] as const)('200 by %s: 30 levels of fragments that spread the next one twice are one field', async (method) => {
    const { result } = await costOf(() => ask(doubling(30), { method }));
    expect(result).toEqual({ status: 200, errors: undefined, data: { __typename: 'Query' } });
  });

  test.each([
    ['501 fields', `{ ${list(501, (i) => `a${i}: __typename`)} }`, 'at most 500 fields and fragments'],
    ['fragments that expand to 2 to the power of 30 fields', doublingFields(30), 'at most 500 fields and fragments'],
    [
      '51 fragments',
      `{ ${list(51, (i) => `...F${i}`)} } ${list(51, (i) => `fragment F${i} on Query { a${i}: __typename }`)}`,
      'at most 50 fragments, not 51',
    ],
    ['21 operations', list(21, (i) => `query Q${i} { __typename }`), 'at most 20 operations, not 21'],
    [
      '201 variables',
      `query (${list(201, (i) => `$a${i}: Int`)}) { __typename }`,
      'at most 200 variables in one operation, not 201',
    ],
    ['a field 11 times', `{ ${list(11, () => '__typename')} }`, 'at most 10 times at one place'],
    [
      'a field 11 times through fragments',
      `{ ${list(11, (i) => `...F${i}`)} } ${list(11, (i) => `fragment F${i} on Query { __typename }`)}`,
      'at most 10 times at one place',
    ],
    ['a name of 201 characters', `{ ${'a'.repeat(201)} }`, 'no name longer than 200 characters'],
    ['a number of 33 digits', `{ __type(name: ${'9'.repeat(33)}) { name } }`, 'no number longer than 32 characters'],
    ['a fraction of 33 characters', `{ __type(name: 1e${'9'.repeat(31)}) { name } }`, 'no number longer than 32'],
    [
      'a string of 20,001 characters',
      `{ __type(name: "${'a'.repeat(19_999)}") { name } }`,
      'no string longer than 20000 characters',
    ],
    ['10,001 lines', `{ __typename }${'\n'.repeat(10_000)}`, 'at most 10000 lines'],
    ['100,001 characters', `{ __typename } #${'a'.repeat(99_986)}`, 'at most 100000 characters'],
    [
      '51 root fields',
      `{ ${list(51, (i) => `a${i}: __typename`)} }`,
      'at most 50 root fields in one operation, not 51',
    ],
    ['the schema eight times', `{ ${list(8, (i) => `a${i}: __schema { ${wholeSchema} }`)} }`, 'at most 40000 fields'],
    [
      'the fields of the types of the fields, each with 20 names',
      `{ __schema { types { fields { type { fields { ${list(20, (i) => `a${i}: name`)} } } } } } }`,
      'at most 40000 fields',
    ],
    [
      'a large type that a variable names, 50 times',
      `query ($n: String! = "Mutation") { ${list(50, (i) => `a${i}: __type(name: $n) { fields { name description args { name description type { name kind } } } }`)} }`,
      'at most 40000 fields',
    ],
    [
      'the fields of the types of the fields of the types of the fields',
      '{ __schema { types { fields { type { fields { type { fields { name } } } } } } } }',
      'Maximum introspection depth exceeded',
    ],
    ...[99, 1_900].map((levels): [string, string, string] => [
      `${levels} nested lists`,
      `{ __type(name: ${'['.repeat(levels)}${']'.repeat(levels)}) { name } }`,
      'at most 100 levels',
    ]),
  ])('400: %s, naming the bound', async (_what, query, bound) => {
    const { status, errors } = await ask(query);
    expect([status, errors?.[0]?.extensions.code, errors?.[0]?.message]).toEqual([
      400,
      'INPUT_PARSE_ERROR',
      expect.stringContaining(bound),
    ]);
  });

  test.each([
    ['450 fields below 50 root fields', `{ ${list(50, (i) => `a${i}: authTest { ${list(5, (j) => `b${j}: ok`)} }`)} }`],
    [
      '50 fragments',
      `{ ${list(50, (i) => `...F${i}`)} } ${list(50, (i) => `fragment F${i} on Query { a${i}: __typename }`)}`,
    ],
    ['a field 10 times', `{ ${list(10, () => '__typename')} }`],
    ['10,000 lines', `{ __typename }${'\n'.repeat(9_999)}`],
    ['a string of 20,000 characters', `{ __type(name: "${'a'.repeat(19_998)}") { name } }`],
    ['20 operations', list(20, (i) => `query Q${i} { __typename }`)],
    ['100 levels', `{ __type(name: ${'['.repeat(98)}${']'.repeat(98)}) { name } }`],
    ['the introspection query of GraphQL tools', getIntrospectionQuery({ oneOf: true, schemaDescription: true })],
  ])('the bounds are not exceeded by %s', async (_what, query) => {
    const { errors } = await ask(query, { key: account.subKey });
    expect(errors?.[0]?.message ?? '').not.toMatch(/at most/);
  });

  test.each([
    ['depth', 10, chain],
    ['breadth', 300, wide],
  ] as const)('400 for a %s of one more than %d, naming both, and no field is run; 200 at the limit', async (_what, max, of) => {
    const own = await (await seedPartner(platform)).account();
    const paymentId = String((await own.charge()).payment['id']);
    expect(await ask(of(max, paymentId), { key: own.subKey })).toMatchObject({ status: 200, errors: undefined });
    const { status, errors, data } = await ask(of(max + 1, paymentId), { key: own.subKey });
    expect([status, errors?.[0]?.extensions.code, data]).toEqual([400, 'INPUT_PARSE_ERROR', undefined]);
    expect(errors?.[0]?.message).toMatch(new RegExp(`\\b${max + 1} of (?:at most )?${max}\\b`));
  });

  test('400 for 4,001 tokens, naming the bound; 4,000 are read', async () => {
    const [within, above] = [await ask(ofTokens(4_000)), await ask(ofTokens(4_001))];
    expect([above.status, above.errors?.[0]?.extensions.code]).toEqual([400, 'INPUT_PARSE_ERROR']);
    expect(above.errors?.[0]?.message).toContain('4000 tokens');
    expect(within.errors?.[0]?.message ?? '').not.toContain('tokens');
  });

  test('400: 11 mutation fields run none; 10 run each', async () => {
    const { subKey: key, api } = account;
    const customers = (count: number): string =>
      `mutation { ${list(count, (i) => `a${i}: createCustomer(input: { email: "${i}@example.com" }) { id }`)} }`;
    const refused = await ask(customers(11), { key });
    expect([refused.status, refused.errors?.[0]?.message]).toEqual([
      400,
      expect.stringContaining('at most 10 mutation fields in one operation, not 11'),
    ]);
    expect((await api.ok('/customers/list', {})).total).toBe(0);
    expect(Object.keys((await ask(customers(10), { key })).data)).toHaveLength(10);
    expect((await api.ok('/customers/list', {})).total).toBe(10);
  });

  test('an answer names at most ten errors of validation and says that there are more', async () => {
    const { errors } = await ask(`{ ${list(40, (i) => `unknown${i}`)} }`);
    expect(errors?.length).toBe(11);
    expect(errors?.at(-1)?.message).toContain('Too many validation errors');
  });

  /** Documents within every bound, each close to the one that bounds the cost of a step. */
  const nasty: readonly [what: string, query: string][] = [
    ['many fields of one name', `{ ${list(30, (i) => list(10, () => `a${i}: __type(name: "Payment") { name }`))} }`],
    [
      'many fragments',
      '{ ' +
        `${list(49, (i) => `...F${i}`)} } ${list(49, (i) => `fragment F${i} on Query { a${i}: __schema { ...G } }`)} fragment G on __Schema { __typename }`,
    ],
    ['unknown types', `query (${list(200, (i) => `$a${i}: CustomerPaymentSubscriptionListing${i}`)}) { __typename }`],
    ['unknown fields', `{ ${list(490, (i) => `customerPaymentSubscriptionListing${i}`)} }`],
    ['long unknown names', `{ ${list(300, (i) => `customerPaymentSubscriptionListing${i}`.padEnd(200, 'x'))} }`],
    [
      'variables of many operations',
      `${list(20, (i) => `query Q${i}($v: String!) { ...F }`)} fragment F on Query { ${list(200, (i) => `a${i}: __type(name: $v) { name }`)} }`,
    ],
    ['a long list', `{ payments(filters: { status: [${list(3_500, () => '"a"')}] }) { total } }`],
    ['long texts', `{ ${list(4, (i) => `a${i}: __type(name: """${'\\n '.repeat(6_600)}""") { name }`)} }`],
    ['directives', `{ __typename ${list(380, () => '@include(if: true)')} }`],
    ['arguments', `{ __type(${list(1_200, () => 'name: "a"')}) { name } }`],
    ['inline fragments', `{ ${'... { '.repeat(95)} __typename ${'}'.repeat(95)} }`],
  ];
  test('no document costs much more than an honest one before it is refused or run', async () => {
    const honest = (i: number): string =>
      `{ ${list(40, (j) => `a${i}x${j}: authTest { ok platformAccountId mode }`)} }`;
    let requested = 0;
    const ordinary = Math.max(atLeastMs, await usualTurnOf(() => ask(honest(requested++)), 5));
    const costs: Record<string, number> = {};
    for (const [what, query] of nasty) {
      // A comment makes each run a document of its own, which is in no cache.
      const { longestTurnMs } = await steadyCostOf(() => ask(`${query} # ${requested++}`), 3);
      costs[what] = longestTurnMs / ordinary;
    }
    expect(Object.entries(costs).filter(([, ratio]) => ratio > 8)).toEqual([]);
  });
});
