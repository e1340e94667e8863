import { describe, expect, test } from 'vitest';
import { manualClock } from '../../src/lib/clock.ts';
import type { Client } from '../support/client.ts';
import { usePlatform } from '../support/platform.ts';
import { disableRateLimits } from '../support/rates.ts';
import { seedPartner } from '../support/seed.ts';

type Row = Record<string, string> & { id: string };

const clock = manualClock(new Date('2030-03-10T08:00:00.000Z'));

/** Ten customers; pairs of them share a name, so that there are ties. */
const people = [
  ['ada@example.com', 'Ada', 'Lovelace', '2030-03-10T08:00:00.000Z', 'tier:gold'],
  ['Alan@Example.com', 'Alan', 'Turing', '2030-03-10T23:59:59.999Z', 'tier:gold'],
  ['grace@example.org', 'Grace', 'Hopper', '2030-03-11T00:00:00.000Z', 'tier:silver'],
  ['100%_sure@example.org', 'Ada', 'O\\Neil', '2030-03-11T12:00:00.000Z', 'tier:silver'],
  ['edsger@example.net', 'Edsger', 'Dijkstra', '2030-03-11T12:00:00.001Z', 'kind:x'],
  ['barbara@example.net', 'Barbara', 'Liskov', '2030-03-11T12:00:00.001Z', 'kind:x'],
  ['donald@example.net', 'Donald', 'Knuth', '2030-03-11T23:59:59.999Z', 'kind:y'],
  ['margaret@example.com', 'Margaret', 'Hamilton', '2030-03-12T00:00:00.000Z', 'kind:y'],
  ['zoe@example.com', 'Zoë', 'B😀', '2030-03-12T10:00:00.000Z', 'kind:z'],
  ['norbert@example.com', null, null, '2030-03-13T10:00:00.000Z', 'kind:z'],
] as const;

const platform = await usePlatform({ clock });
await disableRateLimits(platform);
const partner = await seedPartner(platform);
const account = await partner.account();
const api = account.api;
for (const [email, firstName, lastName, at, tag] of people) {
  clock.set(new Date(at));
  await api.ok('/customers/create', { email, firstName, lastName, tags: [tag] });
}
clock.set(new Date('2030-03-14T00:00:00.000Z'));

const emails = async (body: object, client = api): Promise<string[]> =>
  (await client.ok('/customers/list', { pageSize: 100, ...body })).items.map(({ email }: Row) => email);
const matching = async (filters: object): Promise<string[]> =>
  (await emails({ filters })).map((email) => email.split('@')[0] ?? '').sort();

describe('8 lists', () => {
  test('the answer is items, total, page, pageSize, totalPages, with the defaults 1 and 20', async () => {
    const answer = await api.ok('/customers/list', {});
    expect(Object.keys(answer)).toEqual(['items', 'total', 'page', 'pageSize', 'totalPages', 'nextCursor']);
    expect(answer).toMatchObject({ total: 10, page: 1, pageSize: 20, totalPages: 1, nextCursor: null });
  });

  test('flat and nested pagination are equal', async () => {
    expect(await api.ok('/customers/list', { page: 2, pageSize: 3 })).toEqual(
      await api.ok('/customers/list', { pagination: { page: 2, pageSize: 3 } }),
    );
    expect(await api.ok('/customers/list', { pagination: { page: 2 } })).toMatchObject({ page: 2, pageSize: 20 });
    expect(await api.ok('/customers/list', { pagination: {} })).toMatchObject({ page: 1, pageSize: 20 });
  });

  const lists = ['/customers/list', '/payments', '/stores/list', '/payment-instruments/list', '/accounts/list'];
  test.each(lists)('%s accepts both forms and rejects both at once', async (path) => {
    const client = path === '/accounts/list' ? partner.api : api;
    await client.ok(path, { page: 1, pageSize: 2 });
    await client.ok(path, { pagination: { page: 1, pageSize: 2 } });
    for (const body of [
      { page: 1, pagination: { page: 1 } },
      { pageSize: 5, pagination: { page: 1 } },
    ])
      expect((await client.call(path, body)).status).toBe(400);
  });

  test.each([
    [{ page: 0 }, 'page'],
    [{ page: -1 }, 'page'],
    [{ page: 1.5 }, 'page'],
    [{ page: '1' }, 'page'],
    [{ page: null }, 'page'],
    [{ pageSize: 0 }, 'pageSize'],
    [{ pageSize: 101 }, 'pageSize'],
    [{ pageSize: null }, 'pageSize'],
    [{ sortBy: null }, 'sortBy'],
    [{ pagination: { page: 0 } }, 'pagination.page'],
    [{ pagination: { page: null } }, 'pagination.page'],
    [{ pagination: { pageSize: 101 } }, 'pagination.pageSize'],
    [{ pagination: { size: 1 } }, 'pagination.size'],
    [{ filters: { email: null } }, 'filters.email'],
    [{ filters: { email: { condition: null, value: 'x' } } }, 'filters.email.condition'],
    [{ filters: { email: { condition: 'like', value: 'x' } } }, 'filters.email.condition'],
    [{ filters: { email: { condition: 'starts_with', value: 'x' } } }, 'filters.email.condition'],
    [{ filters: { email: 'x' } }, 'filters.email'],
    [{ filters: { emails: {} } }, 'filters.emails'],
    [
      { filters: { createdAt: { condition: 'is-after-date', value: ['2030-01-01', '2030-01-02'] } } },
      'filters.createdAt.value',
    ],
    [{ filters: { createdAt: { condition: 'is-between-date', value: ['2030-01-01'] } } }, 'filters.createdAt.value'],
    [{ filters: { createdAt: { condition: 'is-equal-date', value: [] } } }, 'filters.createdAt.value'],
    [{ filters: { createdAt: { condition: 'is-equal-date', value: ['2030-02-30'] } } }, 'filters.createdAt.value[0]'],
    [{ filters: { createdAt: { condition: 'is-equal-date', value: ['yesterday'] } } }, 'filters.createdAt.value[0]'],
    [{ sortBy: { field: 'createdAt' } }, 'sortBy.direction'],
    [{ sortBy: { field: 'createdAt', direction: 'up' } }, 'sortBy.direction'],
  ])('400 for %j, naming %s', async (body, path) => {
    const answer = await api.call('/customers/list', body);
    expect([answer.status, answer.body.data?.issues.map((issue: { path: string }) => issue.path)]).toEqual([
      400,
      [path],
    ]);
  });

  test('a condition is a word with hyphens in REST, whose error names them, and an enum in GraphQL', async () => {
    const filters = (condition: string) => ({ filters: { email: { condition, value: 'ADA' } } });
    const refused = await api.call('/customers/list', filters('starts_with'));
    expect(refused.body.message).toContain('one of contains, does-not-contain, ends-with, is, is-not, starts-with');
    const list = `query ($filters: CustomerFilters) { customers(filters: $filters) { items { email } } }`;
    const answer = await api.graphql(list, filters('starts_with'));
    expect(answer).toEqual({ data: { customers: { items: [{ email: 'ada@example.com' }] } } });
    expect((await api.graphql(list, filters('starts-with'))).errors[0].message).toContain('starts_with');
    const literal = '{ customers(filters: { email: { condition: starts_with, value: "ada" } }) { total } }';
    expect(await api.graphql(literal)).toEqual({ data: { customers: { total: 1 } } });
  });

  test.each([
    { filters: null },
    { pagination: null },
    { cursor: null },
  ])('%j is as if it were left out', async (body) => {
    expect(await api.ok('/customers/list', body)).toEqual(await api.ok('/customers/list', {}));
    expect(await api.ok('/customers/list', { page: 2, pageSize: 3, ...body })).toEqual(
      await api.ok('/customers/list', { page: 2, pageSize: 3 }),
    );
  });

  test('page sizes 1 and 100 are accepted', async () => {
    expect((await api.ok('/customers/list', { pageSize: 1 })).items).toHaveLength(1);
    expect((await api.ok('/customers/list', { pageSize: 100 })).items).toHaveLength(10);
  });

  test('400 for an unknown sort field, with the allowed ones', async () => {
    const allowed: [string, Client, string][] = [
      ['/customers/list', api, 'createdAt, email, firstName, lastName'],
      ['/stores/list', api, 'createdAt, name'],
      ['/accounts/list', partner.api, 'createdAt, legalName'],
      ['/payments', api, 'amount, createdAt, status'],
      ['/payment-instruments/list', api, 'createdAt'],
    ];
    for (const [path, client, fields] of allowed) {
      const answer = await client.call(path, { sortBy: { field: 'nothing', direction: 'asc' } });
      expect([answer.status, answer.body.data.issues]).toEqual([
        400,
        [{ path: 'sortBy.field', message: `must be one of ${fields}` }],
      ]);
    }
  });

  test('the default sort is newest first, ties by id descending', async () => {
    const { items } = await api.ok('/customers/list', {});
    const expected = [...items].sort((a: Row, b: Row) =>
      a['createdAt'] === b['createdAt']
        ? a.id < b.id
          ? 1
          : -1
        : (a['createdAt'] ?? '') < (b['createdAt'] ?? '')
          ? 1
          : -1,
    );
    expect(items).toEqual(expected);
    expect(await api.ok('/customers/list', { sortBy: { field: 'createdAt', direction: 'desc' } })).toMatchObject({
      items,
    });
    expect((await api.ok('/customers/list', { sortBy: { field: 'createdAt', direction: 'asc' } })).items).toEqual(
      [...items].toReversed(),
    );
  });

  test.each([
    'email',
    'firstName',
    'lastName',
    'createdAt',
  ])('sorted by %s, descending is the reverse of ascending, ties by id in the same direction', async (field) => {
    const ascending = (await api.ok('/customers/list', { sortBy: { field, direction: 'asc' } })).items;
    expect((await api.ok('/customers/list', { sortBy: { field, direction: 'desc' } })).items).toEqual(
      [...ascending].toReversed(),
    );
    for (let at = 1; at < ascending.length; at++)
      if (ascending[at][field] === ascending[at - 1][field]) expect(ascending[at].id > ascending[at - 1].id).toBe(true);
  });

  test('emails sort case-insensitively', async () => {
    expect((await emails({ sortBy: { field: 'email', direction: 'asc' } })).slice(1, 3)).toEqual([
      'ada@example.com',
      'Alan@Example.com',
    ]);
  });

  test.each([
    ['contains', 'EXAMPLE.ORG', ['100%_sure', 'grace']],
    ['does-not-contain', 'example.', []],
    ['is', 'ALAN@example.com', ['Alan']],
    ['is', 'alan', []],
    [
      'is-not',
      'ada@example.com',
      ['100%_sure', 'Alan', 'barbara', 'donald', 'edsger', 'grace', 'margaret', 'norbert', 'zoe'],
    ],
    ['starts-with', 'AL', ['Alan']],
    ['starts-with', 'lan', []],
    ['ends-with', '.NET', ['barbara', 'donald', 'edsger']],
    ['ends-with', 'example', []],
    ['contains', '%', ['100%_sure']],
    ['contains', '_', ['100%_sure']],
    ['starts-with', '%', []],
    ['contains', '%_', ['100%_sure']],
    ['is', '%', []],
  ])('email %s %s', async (condition, value, expected) => {
    expect(await matching({ email: { condition, value } })).toEqual(expected);
  });

  test.each([
    ['firstName', 'contains', 'ADA', ['100%_sure', 'ada']],
    ['firstName', 'is', 'zoË', ['zoe']],
    ['firstName', 'ends-with', 'Ë', ['zoe']],
    ['lastName', 'contains', '\\', ['100%_sure']],
    ['lastName', 'ends-with', '\\neil', ['100%_sure']],
    ['lastName', 'is', 'b😀', ['zoe']],
    ['lastName', 'ends-with', '😀', ['zoe']],
    ['lastName', 'starts-with', 'b😀', ['zoe']],
    ['lastName', 'does-not-contain', 'o', ['Alan', 'donald', 'edsger', 'norbert', 'zoe']],
    [
      'lastName',
      'is-not',
      'turing',
      ['100%_sure', 'ada', 'barbara', 'donald', 'edsger', 'grace', 'margaret', 'norbert', 'zoe'],
    ],
  ])('%s %s %s', async (field, condition, value, expected) => {
    expect(await matching({ [field]: { condition, value } })).toEqual(expected);
  });

  test.each([
    ['is-equal-date', ['2030-03-10'], ['Alan', 'ada']],
    ['is-equal-date', ['2030-03-11T12:00:00.001Z'], ['barbara', 'edsger']],
    ['is-equal-date', ['2030-03-11T14:00:00.001+02:00'], ['barbara', 'edsger']],
    ['is-equal-date', ['2030-03-11T12:00:00Z'], ['100%_sure']],
    ['is-after-date', ['2030-03-11'], ['margaret', 'norbert', 'zoe']],
    ['is-after-date', ['2030-03-12T00:00:00.000Z'], ['norbert', 'zoe']],
    ['is-after-date', ['2030-03-11T23:59:59.999Z'], ['margaret', 'norbert', 'zoe']],
    ['is-before-date', ['2030-03-11'], ['Alan', 'ada']],
    ['is-before-date', ['2030-03-10T23:59:59.999Z'], ['ada']],
    ['is-before-date', ['2030-03-10'], []],
    [
      'is-between-date',
      ['2030-03-10', '2030-03-11'],
      ['100%_sure', 'Alan', 'ada', 'barbara', 'donald', 'edsger', 'grace'],
    ],
    [
      'is-between-date',
      ['2030-03-11T12:00:00.001Z', '2030-03-12T00:00:00.000Z'],
      ['barbara', 'donald', 'edsger', 'margaret'],
    ],
    ['is-between-date', ['2030-03-12', '2030-03-10'], []],
    ['is-equal-date', '2030-03-13', ['norbert']],
  ])('createdAt %s %j', async (condition, value, expected) => {
    expect(await matching({ createdAt: { condition, value } })).toEqual([...expected].sort());
  });

  test('filters are combined; an array matches any of its values; an empty array matches nothing', async () => {
    expect(
      await matching({ tags: ['tier:gold', 'tier:silver'], email: { condition: 'contains', value: 'a' } }),
    ).toEqual(['100%_sure', 'Alan', 'ada', 'grace']);
    expect(await matching({ tags: [] })).toEqual([]);
    expect(await matching({ storeId: [account.storeId] })).toHaveLength(10);
  });

  test('foreign storeId in a filter: an empty list, with a partner key and a sub-key', async () => {
    const foreign = await (await seedPartner(platform)).account();
    const sibling = await partner.account();
    for (const [client, storeId] of [
      [api, foreign.storeId],
      [partner.api, foreign.storeId],
      [api, sibling.storeId],
      [api, 'store_0000000000000000000000'],
    ] as const) {
      expect(await client.ok('/customers/list', { filters: { storeId: [storeId] } })).toMatchObject({
        items: [],
        total: 0,
        totalPages: 0,
      });
    }
  });

  test('with a partner key a list spans the accounts of its mode; filters.storeId narrows it', async () => {
    const other = await partner.account();
    await other.api.ok('/customers/create', { email: 'span@example.com' });
    const all = await partner.api.ok('/customers/list', { pageSize: 100 });
    expect(new Set(all.items.map(({ platformAccountId }: Row) => platformAccountId))).toEqual(
      new Set([account.id, other.id]),
    );
    expect(await emails({ filters: { storeId: [other.storeId] } }, partner.api)).toEqual(['span@example.com']);
    expect((await other.api.ok('/customers/list', {})).total).toBe(1);
  });

  test('past the end there are no items and the same total; of an empty list totalPages is 0', async () => {
    expect(await api.ok('/customers/list', { page: 3, pageSize: 5 })).toMatchObject({
      items: [],
      total: 10,
      page: 3,
      totalPages: 2,
    });
    expect(
      await api.ok('/customers/list', { filters: { firstName: { condition: 'is', value: 'Nemo' } } }),
    ).toMatchObject({ items: [], total: 0, totalPages: 0 });
    expect(await (await partner.account()).api.ok('/payments', {})).toMatchObject({
      items: [],
      total: 0,
      totalPages: 0,
      nextCursor: null,
    });
  });

  test('stores/list returns {stores, total, pageCount}', async () => {
    const answer = await api.ok('/stores/list', { pageSize: 1 });
    expect(Object.keys(answer)).toEqual(['stores', 'total', 'pageCount']);
    expect(answer).toMatchObject({ total: 1, pageCount: 1, stores: [{ id: account.storeId }] });
  });

  test('a list reads its own writes', async () => {
    const fresh = await partner.account();
    for (let n = 1; n <= 3; n++) {
      const { id } = await fresh.api.ok('/customers/create', { email: `own${n}@example.com` });
      const list = await fresh.api.ok('/customers/list', {});
      expect([list.total, list.items.some((item: Row) => item.id === id)]).toEqual([n, true]);
    }
  });

  test('totals by counter equal a real count, after creates at once and repeated ones', async () => {
    const busy = await partner.account();
    await Promise.all(
      Array.from({ length: 40 }, (_, n) => busy.api.ok('/customers/create', { email: `busy${n % 30}@example.com` })),
    );
    await Promise.all(Array.from({ length: 10 }, () => busy.charge()));
    for (const [path, table] of [
      ['/customers/list', 'customers'],
      ['/payments', 'payments'],
    ] as const) {
      const { rows } = await platform.services.pool.query(
        `SELECT count(*)::int AS n FROM ${table} WHERE "platformAccountId" = $1`,
        [busy.id],
      );
      const { rows: all } = await platform.services.pool.query(
        `SELECT count(*)::int AS n FROM ${table} WHERE "partnerId" = $1 AND mode = 'test'`,
        [partner.id],
      );
      expect([(await busy.api.ok(path, {})).total, (await partner.api.ok(path, {})).total]).toEqual([
        rows[0].n,
        all[0].n,
      ]);
    }
  });
});

describe('8 cursors', () => {
  async function readAll(
    client: Client,
    path: string,
    body: object,
    between: () => Promise<unknown> = async () => {},
  ): Promise<string[]> {
    const ids: string[] = [];
    let page = await client.ok(path, body);
    for (;;) {
      ids.push(...page.items.map(({ id }: Row) => id));
      if (page.nextCursor === null) return ids;
      await between();
      page = await client.ok(path, { ...body, cursor: page.nextCursor });
      expect([page.total, page.page, page.totalPages]).toEqual([null, null, null]);
    }
  }

  test.each([1, 2, 3, 5, 10])('a cursor reads everything exactly once, %i a page', async (pageSize) => {
    const expected = (await api.ok('/customers/list', { pageSize: 100 })).items.map(({ id }: Row) => id);
    expect(await readAll(api, '/customers/list', { pageSize })).toEqual(expected);
    const filters = { email: { condition: 'contains', value: 'example.com' } };
    expect(await readAll(api, '/customers/list', { pageSize, filters })).toEqual(
      (await api.ok('/customers/list', { pageSize: 100, filters })).items.map(({ id }: Row) => id),
    );
  });

  test('each row exactly once while others are added', async () => {
    const growing = await partner.account();
    for (let n = 0; n < 9; n++) await growing.api.ok('/customers/create', { email: `old${n}@example.com` });
    const expected = (await growing.api.ok('/customers/list', { pageSize: 100 })).items.map(({ id }: Row) => id);
    let added = 0;
    const read = await readAll(growing.api, '/customers/list', { pageSize: 2 }, () => {
      clock.advance(1);
      return growing.api.ok('/customers/create', { email: `new${++added}@example.com` });
    });
    expect(read).toEqual(expected);
  });

  test('payments are read by cursor', async () => {
    const charging = await partner.account();
    for (let n = 0; n < 5; n++) await charging.charge('tok_visa', { amount: 100 + n });
    expect(await readAll(charging.api, '/payments', { pageSize: 2 })).toEqual(
      (await charging.api.ok('/payments', {})).items.map(({ id }: Row) => id),
    );
  });

  test('nextCursor is in every answer of the default sort and in no other', async () => {
    expect((await api.ok('/customers/list', { page: 2, pageSize: 2 })).nextCursor).toEqual(expect.any(String));
    expect(
      (await api.ok('/customers/list', { pageSize: 2, sortBy: { field: 'createdAt', direction: 'desc' } })).nextCursor,
    ).toEqual(expect.any(String));
    expect(
      (await api.ok('/customers/list', { pageSize: 2, sortBy: { field: 'email', direction: 'asc' } })).nextCursor,
    ).toBeNull();
    expect((await api.ok('/customers/list', { page: 5, pageSize: 2 })).nextCursor).toBeNull();
  });

  test.each([
    [{ page: 1 }, 'page'],
    [{ page: 2 }, 'page'],
    [{ pagination: { page: 1 } }, 'pagination.page'],
    [{ pagination: { page: 2 } }, 'pagination.page'],
    [{ sortBy: { field: 'createdAt', direction: 'desc' } }, 'sortBy'],
    [{ filters: { firstName: { condition: 'is', value: 'Ada' } } }, 'cursor'],
  ])('400 for a cursor with %j', async (more, path) => {
    const { nextCursor } = await api.ok('/customers/list', { pageSize: 2 });
    const answer = await api.call('/customers/list', { cursor: nextCursor, ...more });
    expect([answer.status, answer.body.data?.issues.map((issue: { path: string }) => issue.path)]).toEqual([
      400,
      [path],
    ]);
  });

  test('a cursor is used with pageSize, flat or nested, and with equal filters in any notation', async () => {
    const first = await api.ok('/customers/list', {
      pageSize: 2,
      filters: { email: { condition: 'contains', value: 'e' }, storeId: [account.storeId] },
    });
    const body = {
      cursor: first.nextCursor,
      filters: { storeId: [account.storeId], email: { value: 'e', condition: 'contains' } },
    };
    expect((await api.ok('/customers/list', { ...body, pageSize: 3 })).items).toHaveLength(3);
    expect((await api.ok('/customers/list', { ...body, pagination: { pageSize: 1 } })).items).toHaveLength(1);
  });

  const forged = (parts: unknown): string => Buffer.from(JSON.stringify(parts)).toString('base64url');
  test.each([
    '',
    'x',
    '!!!',
    forged([]),
    forged(['customers']),
    forged({}),
    forged(['payments', 'x', 1, 'x']),
    forged(['customers', 'x', 'y', 'z']),
    forged(['customers', 'x', -1, 'z']),
    forged(['customers', 'x', 9e15, 'z']),
  ])('400 for the malformed cursor %j', async (cursor) => {
    const answer = await api.call('/customers/list', { cursor });
    expect([answer.status, answer.body.data.issues[0].path]).toEqual([400, 'cursor']);
  });

  test("400 for another list's cursor; a foreign tenant's cursor shows own rows only", async () => {
    const other = await partner.account();
    for (let n = 0; n < 3; n++) await other.charge();
    const { nextCursor } = await other.api.ok('/payments', { pageSize: 1 });
    expect((await api.call('/customers/list', { cursor: nextCursor })).status).toBe(400);
    const customers = await other.api.ok('/customers/list', { pageSize: 1 });
    for (const { platformAccountId } of (await api.ok('/customers/list', { cursor: customers.nextCursor })).items)
      expect(platformAccountId).toBe(account.id);
  });

  test('a list without cursors ignores the field and names it', async () => {
    const answer = await api.call('/stores/list', { cursor: 'x' });
    expect([answer.status, answer.headers.get('ignored-fields')]).toEqual([200, 'cursor']);
  });
});
