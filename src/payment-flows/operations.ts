import { tenantOf } from '../auth/tenancy.ts';
import type { PaymentFlow } from '../generated/prisma/client.ts';
import type { KeyContext } from '../graph/context.ts';
import { oneOf } from '../graph/list-filters.ts';
import { type ListArguments, type ListDefinition, type Page, readList } from '../graph/lists.ts';
import { Conflict, invalid, InvalidInput, NotFound } from '../kit/errors.ts';
import { newId } from '../kit/ids.ts';
import { write, type Write } from '../kit/write.ts';
import { storeOf } from '../stores/operations.ts';
import { flowIssues, type FlowShape, unknownProcessorIssues } from './flow-issues.ts';
import type { CreatePaymentFlowInput, PaymentFlowFilters, UpdatePaymentFlowInput } from './schema.ts';

export { type ChargeFlow, type ChargeRoute, routeOfCharge } from './charge-route.ts';

/** A flow with its processors. */
export type FlowRow = PaymentFlow & {
  processors: { processorId: string; weight: number }[];
  fallbacks: { processorId: string; order: number }[];
};

const flowsMax = 100;

const routeColumns = `coalesce(r.processors, '[]') AS processors, coalesce(r.fallbacks, '[]') AS fallbacks`;
const routeJoins = `LEFT JOIN LATERAL (SELECT
  jsonb_agg(jsonb_build_object('processorId', r."processorId", 'weight', r.weight) ORDER BY r.position, r."processorId") FILTER (WHERE r.kind = 'weighted') AS processors,
  jsonb_agg(jsonb_build_object('processorId', r."processorId", 'order', r.position) ORDER BY r.position, r."processorId") FILTER (WHERE r.kind = 'fallback') AS fallbacks
  FROM payment_flow_routes r WHERE r."flowId" = t.id) r ON true`;

const flowList: ListDefinition<typeof PaymentFlowFilters.$inferInput> = {
  table: 'payment_flows',
  extra: { columns: routeColumns, joins: routeJoins },
  sorts: { createdAt: 'createdAt', name: 'name' },
  filters: { strategy: oneOf('strategy') },
  counted: true,
};

export function listPaymentFlows(
  context: KeyContext,
  args: ListArguments<typeof PaymentFlowFilters.$inferInput>,
): Promise<Page<FlowRow>> {
  return readList(context.env.pool, context.caller, flowList, args);
}

/** Adds a flow to the account its processors belong to. */
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
    await assertRoom(change, owner.platformAccountId);
    const data = {
      id: newId('paymentFlow', now),
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
    audit({ action: 'createPaymentFlow', target: flow.id, after: shownOf({ ...flow, ...routes }) });
    return { ...flow, ...routes };
  });
}

/** Changes what is named; the lists are replaced whole. Charges that are under way keep the route they began with. */
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
    audit({ action: 'updatePaymentFlow', target: id, before: shownOf(before), after: shownOf(after) });
    return after;
  });
}

/** Removes a flow for good, unless a store's charges go by it. */
export function deletePaymentFlow(context: KeyContext, id: string): Promise<{ id: string; deleted: true }> {
  return write(context, 'deletePaymentFlow', async (change) => {
    const { tx, audit } = change;
    const before = await lockFlow(context, change, id);
    const store = await tx.store.findFirst({ where: { paymentFlowId: id }, select: { id: true } });
    if (store)
      throw new Conflict('invalid_state', `The flow is that of store ${store.id}: give the store another one first.`);
    await tx.paymentFlow.delete({ where: { id } });
    audit({ action: 'deletePaymentFlow', target: id, before: shownOf(before) });
    return { id, deleted: true as const };
  });
}

/** The flow as the caller may see it, locked until the change is written, or 404. A store that is taking it on at the same moment is waited for. */
async function lockFlow({ caller }: KeyContext, { tx }: Write, id: string): Promise<FlowRow> {
  await tx.$queryRaw`SELECT id FROM payment_flows WHERE id = ${id} FOR UPDATE`;
  const found = await tx.paymentFlow.findFirst({
    where: { ...tenantOf(caller), id },
    include: { routes: { orderBy: [{ position: 'asc' }, { processorId: 'asc' }] } },
  });
  if (!found) throw new NotFound('There is no such payment flow.');
  const { routes, ...flow } = found;
  const of = (kind: string) => routes.filter((route) => route.kind === kind);
  return {
    ...flow,
    processors: of('weighted').map(({ processorId, weight }) => ({ processorId, weight: weight ?? 1 })),
    fallbacks: of('fallback').map(({ processorId, position }) => ({ processorId, order: position })),
  };
}

type Lists = Pick<FlowShape, 'processors' | 'fallbacks'>;

/** Whose flow it is: the account that all its processors belong to. Refuses those of anybody else, naming each. */
async function ownerOf(
  { caller }: KeyContext,
  { tx }: Write,
  lists: Lists,
  accountId: string | undefined,
): Promise<{ partnerId: string; platformAccountId: string; mode: string }> {
  const named = [...lists.processors, ...lists.fallbacks].map(({ processorId }) => processorId);
  const found = await tx.processor.findMany({
    where: { ...tenantOf(caller), id: { in: named } },
    select: { id: true, partnerId: true, platformAccountId: true, mode: true },
  });
  const account =
    accountId ??
    found.find(({ id }) => id === named.find((name) => found.some((processor) => processor.id === name)))
      ?.platformAccountId;
  const own = found.filter(({ platformAccountId }) => platformAccountId === account);
  assertNoIssues(unknownProcessorIssues(lists, new Set(own.map(({ id }) => id))));
  const [owner] = own;
  if (!owner) throw new Error('A flow has at least one processor, and every one was found.');
  const { partnerId, platformAccountId, mode } = owner;
  return { partnerId, platformAccountId, mode };
}

async function replaceRoutes(
  { tx }: Write,
  { id: flowId, partnerId, platformAccountId, mode }: PaymentFlow,
  lists: Lists,
): Promise<Pick<FlowRow, 'processors' | 'fallbacks'>> {
  const shared = { flowId, partnerId, platformAccountId, mode };
  const processors = lists.processors.map(({ processorId, weight }) => ({ processorId, weight }));
  const fallbacks = lists.fallbacks
    .map(({ processorId, order }) => ({ processorId, order }))
    .sort((left, right) => left.order - right.order);
  await tx.paymentFlowRoute.deleteMany({ where: { flowId } });
  await tx.paymentFlowRoute.createMany({
    data: [
      ...processors.map(({ processorId, weight }, position) => ({
        ...shared,
        kind: 'weighted',
        processorId,
        position,
        weight,
      })),
      ...fallbacks.map(({ processorId, order }) => ({ ...shared, kind: 'fallback', processorId, position: order })),
    ],
  });
  return { processors, fallbacks };
}

/** Holds the account's row while it counts, so that of two calls at once one sees the other's flow. */
async function assertRoom({ tx }: Write, platformAccountId: string): Promise<void> {
  await tx.$queryRaw`SELECT id FROM processing_accounts WHERE id = ${platformAccountId} FOR NO KEY UPDATE`;
  if ((await tx.paymentFlow.count({ where: { platformAccountId } })) >= flowsMax)
    throw new Conflict('limit_reached', `There are ${flowsMax} payment flows already: delete one first.`);
}

function assertNoIssues(issues: ReturnType<typeof flowIssues>): void {
  if (issues.length > 0) throw new InvalidInput(issues);
}

function shownOf({ name, strategy, processors, fallbacks, maxRetries, sticky, threeDs }: FlowRow): object {
  return { name, strategy, processors, fallbacks, maxRetries, sticky, threeDs };
}
