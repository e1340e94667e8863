import type { Store } from '../generated/prisma/client.ts';
import type { Context } from '../graph/context.ts';

/** A store's name, for a row that was read without it. Prisma gathers the look-ups of one moment into one statement. */
export async function storeNameOf(context: Context, storeId: string): Promise<string> {
  const store = await context.env.prisma.store.findUniqueOrThrow({ where: { id: storeId }, select: { name: true } });
  return store.name;
}

/** The stores of an account that the caller was already allowed to see. Gathered in the same way. */
export async function storesOfAccount(context: Context, accountId: string): Promise<Store[]> {
  const stores = await context.env.prisma.processingAccount
    .findUnique({ where: { id: accountId } })
    .stores({ orderBy: [{ createdAt: 'asc' }, { id: 'asc' }] });
  return stores ?? [];
}
