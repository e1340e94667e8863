import { tenantOf } from '../../auth/tenancy.ts';
import type { KeyContext } from '../../graph/context.ts';
import { noSuchCustomer } from './customer-rows.ts';
import type { CustomerRow } from './types.ts';

export async function readCustomer(context: KeyContext, customerId: string): Promise<CustomerRow> {
  const found = await context.services.prisma.customer.findFirst({
    where: { ...tenantOf(context.caller), id: customerId },
    include: { store: { select: { name: true } } },
  });
  if (!found) throw noSuchCustomer();
  const { store, ...customer } = found;
  return { ...customer, storeName: store.name };
}
