import type { KeyContext } from '../../graph/context.ts';
import { invalid } from '../../kit/errors.ts';
import { write } from '../../write/write.ts';
import { flowIssues } from './flow-issues.ts';
import { assertNoIssues, auditedOf, type FlowRow, lockFlow, ownerOf, replaceRoutes } from './flow-rows.ts';
import type { UpdatePaymentFlowInput } from './inputs.ts';

/** Changes the fields that are given; a list is replaced as a whole. Charges in progress keep their route. */
export function updatePaymentFlow(
  context: KeyContext,
  id: string,
  input: typeof UpdatePaymentFlowInput.$inferInput,
): Promise<FlowRow> {
  for (const field of ['name', 'strategy', 'processors', 'maxRetries', 'sticky', 'threeDs'] as const)
    if (input[field] === null) throw invalid(field, 'must not be null: leave it out instead');
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
