import { expect, test } from 'vitest';
import type { SessionContext } from '../../../src/call/context.ts';
import { openPool } from '../../../src/database/pool.ts';
import { payments } from '../../../src/domains/payments/list-payments.ts';
import { addCustomers, addPayments } from '../../bench/rows.ts';
import { makeTenants } from '../../bench/tenants.ts';
import { usePlatform } from '../../support/platform.ts';

const cards = 600;

/** Card 7 has other digits than all others, and its customer has a second payment with another card. */
const platform = await usePlatform();
const pool = openPool({ connectionString: platform.databaseUrl });
await addCustomers(pool, await makeTenants(pool), cards);
await addPayments(pool);
await pool.query(`UPDATE payment_instruments SET last4 = '0007' WHERE id = 'pi_00000007bench';
    UPDATE payments SET "cardLast4" = '0007' WHERE id = 'pay_00000007bench';
    UPDATE payments SET "customerId" = 'cus_00000007bench' WHERE id = 'pay_00000008bench'`);
await pool.end();

const found = async (digits: string, partnerId: string | null) => {
  const { items, total } = await payments.read(
    { services: platform.services } as SessionContext, // lists use no other property
    { kind: 'people', mode: 'test', partnerId, replica: null },
    { filters: { cardLast4: { condition: 'is', value: digits } }, pageSize: 2 },
  );
  return { ids: items.map(({ id }) => id), total };
};

test("people find the payments of a card by its last digits, those of its customer's other cards not", async () => {
  for (const partnerId of [null, 'par_bench'])
    expect(await found('0007', partnerId)).toEqual({ ids: ['pay_00000007bench'], total: 1 });
  for (const [digits, partnerId] of [
    ['0007', 'par_other'],
    ['9999', null],
  ] as const)
    expect(await found(digits, partnerId)).toEqual({ ids: [], total: 0 });
});

test('digits of more than 500 cards name the payments of them all, newest first', async () => {
  expect(await found('4242', null)).toEqual({ ids: ['pay_00000600bench', 'pay_00000599bench'], total: cards - 1 });
  expect(await found('4242', 'par_other')).toMatchObject({ total: cards / 50 });
});
