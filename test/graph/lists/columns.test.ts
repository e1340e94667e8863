import { type GraphQLObjectType, getNamedType, isLeafType, isObjectType } from 'graphql';
import { expect, test } from 'vitest';
import { openPool } from '../../../src/database/pool.ts';
import { scopesOfField } from '../../../src/graph/builder.ts';
import { schema } from '../../../src/schema.ts';
import { addCustomers, addPayments, addSubscriptions } from '../../bench/rows.ts';
import { makeTenants } from '../../bench/tenants.ts';
import { clientOf } from '../../support/client.ts';
import { usePlatform } from '../../support/platform.ts';
import { disableRateLimits } from '../../support/rates.ts';

/** Two objects of each kind, of which the second has a value in every column that can be null. */
const platform = await usePlatform();
const pool = openPool({ connectionString: platform.databaseUrl });
const tenant = await makeTenants(pool);
await addCustomers(pool, tenant, 2);
await addPayments(pool);
await addSubscriptions(pool);
await pool.query(`INSERT INTO test_clocks (id, "partnerId", "platformAccountId", mode, name, now, "createdAt", "updatedAt")
    SELECT 'clock_bench', "partnerId", "platformAccountId", mode, 'bench', "createdAt", "createdAt", "updatedAt"
    FROM customers LIMIT 1`);
await pool.query(`UPDATE customers SET
      "shippingAddress" = "billingAddress", "lastOrderId" = 'ord_00000002bench', "paymentInstrumentCardLast4" = '4242',
      "testClockId" = 'clock_bench', "deletedAt" = "createdAt"
    WHERE id = 'cus_00000002bench'`);
await pool.query(`UPDATE payments SET
      "orderId" = replace(id, 'pay_', 'ord_'), "subscriptionId" = replace(id, 'pay_', 'sub_'),
      "failureCode" = 'card_declined', "failureMessage" = 'Declined.', "requireAction" = 'threeds_auth',
      "requireActionData" = '{"type": "redirect", "url": "https://a.example", "threedsSessionId": "threeds_1",
        "expiresAt": "2030-01-01T00:00:00.000Z"}',
      "processorId" = 'proc_bench', "paymentFlowId" = 'flow_bench', "voidedAt" = "createdAt"
    WHERE id = 'pay_00000002bench'`);
await pool.end();
await disableRateLimits(platform);
const sub = clientOf(platform, tenant.subKey);

/** All fields of a type, and all of each object that is no row of its own and has no link. */
function fieldsOf(type: GraphQLObjectType): string {
  return Object.values(type.getFields())
    .flatMap((field) => {
      const of = getNamedType(field.type);
      if (Object.keys(scopesOfField(field)).length > 0) return [];
      if (isLeafType(of)) return [field.name];
      if (!isObjectType(of)) return [];
      return [`${field.name} { ${'id' in of.getFields() ? 'id' : fieldsOf(of)} }`];
    })
    .join(' ');
}

test.each([
  ['Payment', 'payments', 'payment(paymentId: "pay_00000002bench") { FIELDS }', 'createdAt amount status'],
  ['Customer', 'customers', 'customer(customerId: "cus_00000002bench") { FIELDS }', 'createdAt email lastName'],
] as const)('%s: a list answers every field as the object itself, in any order and on any page', async (name, list, one, sorts) => {
  const type = schema.getType(name);
  if (!isObjectType(type)) throw new Error(`${name} is no object type.`);
  const fields = fieldsOf(type);
  const { data, errors } = await sub.graphql(`{ ${one.replace('FIELDS', fields)} }`);
  expect(errors).toBeUndefined();
  const object = data.payment ?? data.customer;
  expect(Object.keys(object).filter((field) => object[field] === null)).toEqual([]);
  for (const field of sorts.split(' '))
    for (const [direction, page] of [
      ['asc', 2],
      ['desc', 1],
    ] as const) {
      const sortBy = `sortBy: { field: ${field}, direction: ${direction} }`;
      const answer = await sub.graphql(
        `{ ${list}(page: ${page}, pageSize: 1, ${sortBy}) { items { ${fields} } total } }`,
      );
      expect(answer).toEqual({ data: { [list]: { items: [object], total: 2 } } });
    }
});
