import type { TenantContext } from '../../../call/context.ts';
import { Conflict } from '../../../lib/errors.ts';
import { newRow } from '../../../lib/ids.ts';
import { assertRoom, write } from '../../../unit-of-work/write.ts';
import { storeOf } from '../../stores/public.ts';
import { assertNoIssues, auditedOf, type FlowRow, flowIssues, lockFlow, ownerOf, replaceRoutes } from './flow-rows.ts';
import type { CreatePaymentFlowInput, UpdatePaymentFlowInput } from './types.ts';

const flowsMax = 100;

/** Adds a flow to the account to which its processors belong. */
export async function createPaymentFlow(
  context: TenantContext,
  input: typeof CreatePaymentFlowInput.$inferInput,
): Promise<FlowRow> {
  const { name, strategy, processors, maxRetries, sticky, threeDs, storeId } = input;
  const fallbacks = input.fallbacks ?? [];
  assertNoIssues(flowIssues({ strategy, processors, fallbacks }, { fallbacks: true }));
  const store = storeId == null ? null : await storeOf(context, storeId);
  return write(context, 'createPaymentFlow', async (change) => {
    const { tx, now, audit } = change;
    const owner = await ownerOf(context, change, { processors, fallbacks }, store?.platformAccountId);
    await assertRoom(change, owner.platformAccountId, {
      what: 'payment flows',
      max: flowsMax,
      count: (where) => tx.paymentFlow.count({ where }),
    });
    const data = {
      ...newRow('flow_', owner, now),
      name,
      strategy,
      maxRetries,
      sticky,
      threeDs,
    };
    const flow = await tx.paymentFlow.create({ data });
    const routes = await replaceRoutes(change, flow, { processors, fallbacks });
    audit({ action: 'createPaymentFlow', target: flow.id, after: auditedOf({ ...flow, ...routes }) });
    return { ...flow, ...routes };
  });
}

/** Changes the fields that are given; a list is replaced as a whole. Charges in progress keep their route. */
export function updatePaymentFlow(
  context: TenantContext,
  id: string,
  input: typeof UpdatePaymentFlowInput.$inferInput,
): Promise<FlowRow> {
  return write(context, 'updatePaymentFlow', async (change) => {
    const { tx, now, audit } = change;
    const before = await lockFlow(context, change, id);
    const { name, strategy, maxRetries, sticky, threeDs } = input;
    const processors = input.processors ?? before.processors;
    const fallbacks = input.fallbacks === undefined ? before.fallbacks : (input.fallbacks ?? []);
    assertNoIssues(
      flowIssues(
        { strategy: strategy ?? before.strategy, processors, fallbacks },
        { fallbacks: input.fallbacks != null },
      ),
    );
    await ownerOf(context, change, { processors, fallbacks }, before.platformAccountId);
    const data = {
      ...(name != null && { name }),
      ...(strategy != null && { strategy }),
      ...(maxRetries != null && { maxRetries }),
      ...(sticky != null && { sticky }),
      ...(threeDs != null && { threeDs }),
    };
    const flow = await tx.paymentFlow.update({ where: { id }, data: { ...data, updatedAt: now } });
    const after = { ...flow, ...(await replaceRoutes(change, flow, { processors, fallbacks })) };
    audit({ action: 'updatePaymentFlow', target: id, before: auditedOf(before), after: auditedOf(after) });
    return after;
  });
}

/** Deletes a flow permanently, unless a store uses it. */
export function deletePaymentFlow(context: TenantContext, id: string): Promise<{ id: string; deleted: true }> {
  return write(context, 'deletePaymentFlow', async (change) => {
    const { tx, audit } = change;
    const before = await lockFlow(context, change, id, { toDelete: true });
    const store = await tx.store.findFirst({ where: { paymentFlowId: id }, select: { id: true } });
    if (store)
      throw new Conflict('invalid_state', `Store ${store.id} uses this flow: assign another flow to the store first.`);
    await tx.paymentFlow.delete({ where: { id } });
    audit({ action: 'deletePaymentFlow', target: id, before: auditedOf(before) });
    return { id, deleted: true as const };
  });
}
