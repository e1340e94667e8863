import type { Context } from '../graph/context.ts';

/** A store's name, for a row that was read without it. Prisma gathers the look-ups of one moment into one statement. */
export async function storeNameOf(context: Context, storeId: string): Promise<string> {
  const store = await context.env.prisma.store.findUniqueOrThrow({ where: { id: storeId }, select: { name: true } });
  return store.name;
}
