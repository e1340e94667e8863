import type { Prisma } from '../../generated/prisma/client.ts';
import { NotFound } from '../../kit/errors.ts';
import type { PriceRow } from './types.ts';

/** The prices of an account by their ids; 404 if the account does not have one of them. */
export async function pricesOf(
  tx: Prisma.TransactionClient,
  tenant: { platformAccountId: string; partnerId: string; mode: string },
  ids: readonly string[],
): Promise<Map<string, PriceRow>> {
  const { platformAccountId, partnerId, mode } = tenant;
  const wanted = [...new Set(ids)];
  const found =
    wanted.length === 0
      ? []
      : await tx.price.findMany({ where: { id: { in: wanted }, platformAccountId, partnerId, mode } });
  if (found.length < wanted.length) throw noSuchPrice();
  return new Map(found.map((price) => [price.id, price]));
}

export function noSuchPrice(): NotFound {
  return new NotFound('There is no such price.');
}
