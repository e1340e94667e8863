import { expect, test } from 'vitest';
import type { KeyContext } from '../../../src/call/context.ts';
import { openPool } from '../../../src/database/pool.ts';
import { customers } from '../../../src/domains/customers/customer-list.ts';
import { countedMax } from '../../../src/lists/read-list.ts';
import { addCustomers } from '../../bench/rows.ts';
import { makeTenants } from '../../bench/tenants.ts';
import { asOwner } from '../../support/database.ts';
import { usePlatform } from '../../support/platform.ts';

const everything = { createdAt: { condition: 'is-between-date' as const, value: ['2000-01-01', '2100-01-01'] } };

const platform = await usePlatform();
const pool = openPool({ connectionString: platform.databaseUrl });
await addCustomers(pool, await makeTenants(pool), countedMax + 2);
await pool.end();

const remove = () => asOwner(platform, 'DELETE FROM customers WHERE id = (SELECT max(id) FROM customers)');
/** The only property that lists use. */
const context = () => ({ services: platform.services }) as KeyContext;
const ofPeople = (requested: object) =>
  customers.read(context(), { kind: 'people', mode: 'test', partnerId: null, replica: null }, requested);

test("people's totals with filters are exact up to 10,000 rows, and null for any more, which have `hasMore`", async () => {
  const totals: unknown[] = [];
  for (let removed = 0; removed < 3; removed++) {
    const [first, later] = [await ofPeople({ filters: everything }), await ofPeople({ filters: everything, page: 2 })];
    totals.push([first.total, later.total, first.totalPages, later.page, first.hasMore]);
    await remove();
  }
  expect(totals).toEqual([
    [null, null, null, 2, true],
    [null, null, null, 2, true],
    [countedMax, countedMax, countedMax / 20, 2, true],
  ]);
});

test('`hasMore` is false on the last page alone, with and without a total, by number and by cursor', async () => {
  const pageSize = 100;
  const at = async (page: number) => (await ofPeople({ filters: everything, pageSize, page })).hasMore;
  expect([await at(countedMax / pageSize - 1), await at(countedMax / pageSize)]).toEqual([true, false]);
  const one = { filters: { phone: '+15557' } };
  expect(await ofPeople(one)).toMatchObject({ total: 1, hasMore: false });
  const first = await ofPeople({ pageSize });
  const { total, hasMore } = await ofPeople({ pageSize, cursor: first.nextCursor });
  expect([first.hasMore, total, hasMore]).toEqual([true, null, true]);
});

test('a total that is kept is exact, for people and for keys, and a key counts its rows with filters to the end', async () => {
  await asOwner(
    platform,
    `INSERT INTO customers SELECT (jsonb_populate_record(c, jsonb_build_object(
      'id', c.id || n, 'emailLower', n || c."emailLower", 'email', n || c.email))).*
    FROM customers c, generate_series(1, 5) n WHERE c.id = 'cus_00000001bench'`,
  );
  expect((await ofPeople({})).total).toBe(countedMax + 4);
  const tenant = { partnerId: 'par_bench', mode: 'test' } as const;
  const ofPartner = { ...context(), tenant };
  const { total } = await customers.read(ofPartner, tenant, {});
  expect(await customers.read(ofPartner, tenant, { filters: everything })).toMatchObject({ total });
});

test.each([
  1, 2, 100,
])('the total of a page of %i rows that is not full is the number of its rows', async (pageSize) => {
  const filters = { phone: '+15557' };
  expect(await ofPeople({ filters, pageSize })).toMatchObject({ total: 1, totalPages: 1, items: [expect.anything()] });
  expect(await ofPeople({ filters: { phone: '+1' }, pageSize })).toMatchObject({ total: 0, items: [] });
});
