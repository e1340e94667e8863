import type { Context, TenantContext } from '../../call/context.ts';
import type { Store } from '../../generated/prisma/client.ts';
import { Forbidden, invalid } from '../../lib/errors.ts';
import type { Mode } from '../../lib/ids.ts';
import type { Services } from '../../services.ts';
import { type Brand, brandFields, brandOf } from '../../theme/brand.ts';

/** The name of a store whose row was read without it. Prisma batches the look-ups of one request. */
export async function storeNameOf(context: Context, storeId: string): Promise<string> {
  const store = await context.services.prisma.store.findUniqueOrThrow({
    where: { id: storeId },
    select: { name: true },
  });
  return store.name;
}

/** The stores of an account that is visible to the caller. Prisma batches the look-ups of one request. */
export async function storesOfAccount(context: Context, accountId: string): Promise<Store[]> {
  const stores = await context.services.prisma.processingAccount
    .findUnique({ where: { id: accountId } })
    .stores({ orderBy: [{ createdAt: 'asc' }, { id: 'asc' }] });
  return stores ?? [];
}

/** Runs an operation at the store of the call. */
export async function atStore<Result>(
  context: TenantContext,
  storeId: string | null | undefined,
  act: (store: Store) => Result | Promise<Result>,
): Promise<Result> {
  return act(await storeOf(context, storeId));
}

/**
 * The store of a call: the given one, or the only store of a sub-key's account. A `storeId` outside the scope of the
 * API key is 403 whether it exists or not (docs/errors-and-limits.md, 5), so that no key can find out which stores
 * exist.
 */
export async function storeOf(context: TenantContext, storeId: string | null | undefined): Promise<Store> {
  const { tenant, services } = context;
  if (storeId != null) {
    const store = await services.prisma.store.findFirst({ where: { ...tenant, id: storeId } });
    if (!store) throw storeOutOfScope();
    return store;
  }
  if (tenant.platformAccountId === undefined) throw storeRequired('is required with a partner key');
  const [store, ...more] = await services.prisma.store.findMany({ where: tenant, take: 2 });
  if (!store || more.length > 0) throw storeRequired('is required: the account has several stores');
  return store;
}

/** The owner of an object of an account or of one of its stores: the given store, or the account of a sub-key. */
export async function ownerAt(
  context: TenantContext,
  storeId: string | null | undefined,
): Promise<{ partnerId: string; platformAccountId: string; mode: Mode; storeId: string | null }> {
  const { partnerId, mode, platformAccountId: own } = context.tenant;
  if (own !== undefined && storeId == null) return { partnerId, platformAccountId: own, mode, storeId: null };
  const { platformAccountId, id } = await storeOf(context, storeId);
  return { partnerId, platformAccountId, mode, storeId: id };
}

export function storeOutOfScope(): Forbidden {
  return new Forbidden('forbidden_scope', 'The storeId is outside the scope of this API key.');
}

export function storeRequired(message: string) {
  return invalid('storeId', message);
}

/** The brand of the partner of a store, for a page that its shoppers see. Null if there is no such store. */
export async function brandOfStore({ prisma }: Pick<Services, 'prisma'>, storeId: string): Promise<Brand | null> {
  if (!/^store_[0-9A-Za-z]{1,64}$/.test(storeId)) return null;
  const found = await prisma.store.findUnique({
    where: { id: storeId },
    select: { account: { select: { partner: { select: brandFields } } } },
  });
  return found && brandOf(found.account.partner);
}
