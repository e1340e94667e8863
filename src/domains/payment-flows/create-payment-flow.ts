import { sql } from '../../database/sql.ts';
import type { KeyContext } from '../../graph/context.ts';
import { Conflict } from '../../kit/errors.ts';
import { newId } from '../../kit/ids.ts';
import { type Write, write } from '../../write/write.ts';
import { storeOf } from '../stores/public.ts';
import { flowIssues } from './flow-issues.ts';
import { assertNoIssues, auditedOf, type FlowRow, ownerOf, replaceRoutes } from './flow-rows.ts';
import type { CreatePaymentFlowInput } from './inputs.ts';

const flowsMax = 100;

/** Adds a flow to the account to which its processors belong. */
export async function createPaymentFlow(
  context: KeyContext,
  input: typeof CreatePaymentFlowInput.$inferInput,
): Promise<FlowRow> {
  const { name, strategy, processors, maxRetries, sticky, threeDs, storeId } = input;
  const fallbacks = input.fallbacks ?? [];
  assertNoIssues(flowIssues({ strategy, processors, fallbacks }, { fallbacks: true }));
  const store = storeId == null ? null : await storeOf(context, storeId);
  return write(context, 'createPaymentFlow', async (change) => {
    const { tx, now, audit } = change;
    const owner = await ownerOf(context, change, { processors, fallbacks }, store?.platformAccountId);
    await assertBelowLimit(change, owner.platformAccountId);
    const data = {
      id: newId('flow_', now),
      ...owner,
      name,
      strategy,
      maxRetries,
      sticky,
      threeDs,
      createdAt: now,
      updatedAt: now,
    };
    const flow = await tx.paymentFlow.create({ data });
    const routes = await replaceRoutes(change, flow, { processors, fallbacks });
    audit({ action: 'createPaymentFlow', target: flow.id, after: auditedOf({ ...flow, ...routes }) });
    return { ...flow, ...routes };
  });
}

/** Locks the account's row before counting, so that concurrent calls see each other's flows. */
async function assertBelowLimit({ tx }: Write, platformAccountId: string): Promise<void> {
  await tx.$queryRaw(sql`
    SELECT id
    FROM processing_accounts
    WHERE id = ${platformAccountId}
    FOR NO KEY UPDATE`);
  if ((await tx.paymentFlow.count({ where: { platformAccountId } })) >= flowsMax)
    throw new Conflict('limit_reached', `There are ${flowsMax} payment flows already: delete one first.`);
}
