import { tenantOf } from '../../auth/tenancy.ts';
import type { Store } from '../../generated/prisma/client.ts';
import type { KeyContext } from '../../graph/context.ts';
import { invalid, NotFound } from '../../kit/errors.ts';
import { write } from '../../write/write.ts';
import type { UpdateStoreInput } from './inputs.ts';
import { lockPaymentFlow } from './store-rows.ts';

/**
 * Changes the given fields. A store named in the path is 404 like any other row; 403 is the answer for a `storeId`
 * that scopes a call (docs/contract/05-errors.md).
 */
export function updateStore(
  context: KeyContext,
  storeId: string,
  input: typeof UpdateStoreInput.$inferInput,
): Promise<Store> {
  const { name, paymentFlowId } = input;
  if (name === null) throw invalid('name', 'must not be null: leave it out instead');
  return write(context, 'updateStore', async (change) => {
    const { tx, now, audit } = change;
    const before = await tx.store.findFirst({ where: { ...tenantOf(context.caller), id: storeId } });
    if (!before) throw new NotFound('There is no such store.');
    await lockPaymentFlow(change, before.platformAccountId, paymentFlowId);
    const data = { ...(name !== undefined && { name }), ...(paymentFlowId !== undefined && { paymentFlowId }) };
    // The payment flow decides where the merchant's money goes, so a change of it is audited.
    audit({
      action: 'updateStore',
      target: storeId,
      before: { name: before.name, paymentFlowId: before.paymentFlowId },
      after: data,
    });
    return tx.store.update({ where: { id: storeId }, data: { ...data, updatedAt: now } });
  });
}
