import { ownRow } from '../../auth/visible.ts';
import type { TenantContext } from '../../call/context.ts';
import { Prisma } from '../../generated/prisma/client.ts';
import { Conflict } from '../../lib/errors.ts';
import { write } from '../../unit-of-work/write.ts';
import { atStore } from '../stores/public.ts';
import { atCustomersTime, onClock, testClockOf } from '../test-clocks/public.ts';
import { assertTags, findOrAddCustomer, jsonColumn, touchCustomer, uniqueTags } from './customer-rows.ts';
import type { CreateCustomerInput, UpdateCustomerInput } from './inputs.ts';
import type { CustomerRow } from './types.ts';

export async function createCustomer(
  context: TenantContext,
  input: typeof CreateCustomerInput.$inferInput,
): Promise<CustomerRow> {
  assertTags(input.tags);
  return atStore(context, input.storeId, async (store) => {
    const testClock = input.testClockId == null ? null : await testClockOf(context, store, input.testClockId);
    return onClock(context.services, testClock, () =>
      write(context, 'createCustomer', async (change) => {
        const customer = await findOrAddCustomer(change, store, { ...input, testClockId: testClock?.id });
        if (testClock && customer.testClockId !== testClock.id)
          throw new Conflict(
            'already_exists',
            `The customer ${customer.id} of the store has this email address and is not on this test clock; a ` +
              'customer is put on a test clock at its creation only. Use another address.',
          );
        return customer;
      }),
    );
  });
}

type Input = typeof UpdateCustomerInput.$inferInput;

export async function updateCustomer(context: TenantContext, customerId: string, input: Input): Promise<CustomerRow> {
  assertTags(input.tags);
  const update = () =>
    write(context, 'updateCustomer', async (change) => {
      const before = await ownRow(change.tx, context.tenant, 'customer', customerId);
      const data = changesOf(input);
      if (Object.keys(data).length === 0) return before;
      return touchCustomer(change, customerId, data);
    });
  return atCustomersTime(context, { customerId }, update).catch((error: unknown) => {
    if (error instanceof Prisma.PrismaClientKnownRequestError && error.code === 'P2002')
      throw new Conflict('already_exists', 'Another customer of the store has this email address.');
    throw error;
  });
}

function changesOf(input: Input): Prisma.CustomerUpdateManyMutationInput {
  const { email, tags, billingAddress, shippingAddress, metadata, ...plain } = input;
  const named = Object.fromEntries(Object.entries(plain).filter(([, value]) => value !== undefined));
  return {
    ...named,
    ...(email != null && { email, emailLower: email.toLowerCase() }),
    ...(tags !== undefined && { tags: uniqueTags(tags) }),
    ...(billingAddress !== undefined && { billingAddress: jsonColumn(billingAddress) }),
    ...(shippingAddress !== undefined && { shippingAddress: jsonColumn(shippingAddress) }),
    ...(metadata !== undefined && { metadata: metadata ?? {} }),
  };
}
