import { type Brand, brandFields, brandOf } from '../../look/brand.ts';
import type { Services } from '../../services.ts';

/** The brand of the partner of a store, for a page that its shoppers see. Null if there is no such store. */
export async function brandOfStore({ prisma }: Pick<Services, 'prisma'>, storeId: string): Promise<Brand | null> {
  if (!/^store_[0-9A-Za-z]{1,64}$/.test(storeId)) return null;
  const found = await prisma.store.findUnique({
    where: { id: storeId },
    select: { account: { select: { partner: { select: brandFields } } } },
  });
  return found && brandOf(found.account.partner);
}
