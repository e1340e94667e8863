import { tenantOf } from '../../auth/tenancy.ts';
import type { Store } from '../../generated/prisma/client.ts';
import type { KeyContext } from '../../graph/context.ts';
import { Forbidden, invalid } from '../../kit/errors.ts';

/** Runs an operation at the store of the call. */
export async function atStore<Result>(
  context: KeyContext,
  storeId: string | null | undefined,
  act: (store: Store) => Result | Promise<Result>,
): Promise<Result> {
  return act(await storeOf(context, storeId));
}

/**
 * The store of a call: the one it names, or the only store of a sub-key's account. A `storeId` outside the scope of the
 * API key is 403 whether it exists or not (docs/contract/05-errors.md), so that no key can find out which stores exist.
 */
export async function storeOf(context: KeyContext, storeId: string | null | undefined): Promise<Store> {
  const { caller, services } = context;
  if (storeId != null) {
    const store = await services.prisma.store.findFirst({ where: { ...tenantOf(caller), id: storeId } });
    if (!store) throw storeOutOfScope();
    return store;
  }
  if (caller.kind === 'partnerKey') throw storeRequired('is required with a partner key');
  const [store, ...more] = await services.prisma.store.findMany({ where: tenantOf(caller), take: 2 });
  if (!store || more.length > 0) throw storeRequired('is required: the account has several stores');
  return store;
}

export function storeOutOfScope(): Forbidden {
  return new Forbidden('forbidden_scope', 'The storeId is outside the scope of this API key.');
}

export function storeRequired(message: string) {
  return invalid('storeId', message);
}
