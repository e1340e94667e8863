import { tenantOf } from '../../auth/tenancy.ts';
import { Prisma } from '../../generated/prisma/client.ts';
import type { KeyContext } from '../../graph/context.ts';
import { Conflict, invalid } from '../../kit/errors.ts';
import { write } from '../../write/write.ts';
import { atCustomersTime } from '../test-clocks/public.ts';
import { assertTags, jsonColumn, noSuchCustomer, touchCustomer, uniqueTags } from './customer-rows.ts';
import type { UpdateCustomerInput } from './inputs.ts';
import type { CustomerRow } from './types.ts';

type Input = typeof UpdateCustomerInput.$inferInput;

export async function updateCustomer(context: KeyContext, customerId: string, input: Input): Promise<CustomerRow> {
  assertTags(input.tags);
  if (input.email === null) throw invalid('email', 'must not be null: a customer has an e-mail address');
  const update = () =>
    write(context, 'updateCustomer', async (change) => {
      const before = await change.tx.customer.findFirst({ where: { ...tenantOf(context.caller), id: customerId } });
      if (!before) throw noSuchCustomer();
      const data = changesOf(input);
      if (Object.keys(data).length === 0) return before;
      return touchCustomer(change, customerId, data);
    });
  return atCustomersTime(context, { customerId }, update).catch((error: unknown) => {
    if (error instanceof Prisma.PrismaClientKnownRequestError && error.code === 'P2002')
      throw new Conflict('already_exists', 'Another customer of the store has this e-mail address.');
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
