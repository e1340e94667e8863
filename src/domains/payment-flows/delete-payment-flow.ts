import type { KeyContext } from '../../graph/context.ts';
import { Conflict } from '../../kit/errors.ts';
import { write } from '../../write/write.ts';
import { auditedOf, lockFlow } from './flow-rows.ts';

/** Deletes a flow permanently, unless a store uses it. */
export function deletePaymentFlow(context: KeyContext, id: string): Promise<{ id: string; deleted: true }> {
  return write(context, 'deletePaymentFlow', async (change) => {
    const { tx, audit } = change;
    const before = await lockFlow(context, change, id, { toDelete: true });
    const store = await tx.store.findFirst({ where: { paymentFlowId: id }, select: { id: true } });
    if (store)
      throw new Conflict('invalid_state', `The flow is that of store ${store.id}: give the store another one first.`);
    await tx.paymentFlow.delete({ where: { id } });
    audit({ action: 'deletePaymentFlow', target: id, before: auditedOf(before) });
    return { id, deleted: true as const };
  });
}
