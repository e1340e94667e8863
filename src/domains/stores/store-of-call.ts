import { tenantOf } from '../../auth/tenancy.ts';
import type { Store } from '../../generated/prisma/client.ts';
import type { KeyContext } from '../../graph/context.ts';
import { Forbidden, invalid } from '../../kit/errors.ts';
import { findStoredCall } from '../../write/idempotency.ts';
import { recordKeyOf } from '../../write/write.ts';

/**
 * Runs an operation at the store of the call. If the store cannot be determined, a call that was answered before still
 * returns its stored answer: the account may have got a second store since.
 */
export async function atStore<Result>(
  context: KeyContext,
  operation: string,
  storeId: string | null | undefined,
  act: (store: Store) => Promise<Result>,
): Promise<Result> {
  const found = await storeOf(context, storeId).catch((refusal: unknown) => ({ refusal }));
  if (!('refusal' in found)) return act(found);
  const recordKey = recordKeyOf(context, operation);
  const stored = recordKey && (await findStoredCall(context.services.pool, recordKey).catch(() => null));
  if (!stored) throw found.refusal;
  context.replayed = true;
  return stored.answer as Result; // `act` returned it in the first call
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
