import { ownRow } from '../../../auth/visible.ts';
import type { TenantContext } from '../../../call/context.ts';
import { lockRow } from '../../../database/lock-row.ts';
import type { PaymentFlow } from '../../../generated/prisma/client.ts';
import { type InputIssue, InvalidInput } from '../../../lib/errors.ts';
import type { Write } from '../../../unit-of-work/write.ts';

/** All fields of a flow, at its creation or after a change. */
interface FlowShape {
  strategy: string;
  processors: readonly { processorId: string; weight: number }[];
  fallbacks: readonly { processorId: string; order: number }[];
}

const processorsMax = 20;

/** Inconsistent fields of a flow that can be found without reading rows. */
export function flowIssues(
  { strategy, processors, fallbacks }: FlowShape,
  named: { fallbacks: boolean },
): InputIssue[] {
  const issues: InputIssue[] = [];
  if (processors.length === 0) issues.push({ path: 'processors', message: 'must contain at least one processor' });
  for (const [path, list] of [
    ['processors', processors],
    ['fallbacks', fallbacks],
  ] as const) {
    if (list.length > processorsMax) issues.push({ path, message: `must contain at most ${processorsMax} items` });
    issues.push(
      ...repeated(list.map(({ processorId }) => processorId)).map((index) => ({
        path: `${path}[${index}].processorId`,
        message: 'must be unique',
      })),
    );
  }
  issues.push(
    ...repeated(fallbacks.map(({ order }) => order)).map((index) => ({
      path: `fallbacks[${index}].order`,
      message: 'must be unique among the fallbacks',
    })),
  );
  if (strategy !== 'cascade' && fallbacks.length > 0) {
    issues.push(
      named.fallbacks
        ? { path: 'fallbacks', message: 'are only for the strategy cascade' }
        : { path: 'strategy', message: 'must be cascade while the flow has fallbacks: send fallbacks: [] with it' },
    );
  }
  return issues;
}

/** Processors that the account does not have. Those of other accounts are treated like unknown ones. */
function unknownProcessorIssues(
  { processors, fallbacks }: Pick<FlowShape, 'processors' | 'fallbacks'>,
  known: ReadonlySet<string>,
): InputIssue[] {
  return (
    [
      ['processors', processors],
      ['fallbacks', fallbacks],
    ] as const
  ).flatMap(([path, list]) =>
    list.flatMap(({ processorId }, index) =>
      known.has(processorId)
        ? []
        : [{ path: `${path}[${index}].processorId`, message: 'must be a processor of the account' }],
    ),
  );
}

/** The indexes of values that occur earlier in the list. */
function repeated(values: readonly unknown[]): number[] {
  return values.flatMap((value, index) => (values.indexOf(value) < index ? [index] : []));
}

/** A flow with its processors. */
export type FlowRow = PaymentFlow & {
  processors: { processorId: string; weight: number }[];
  fallbacks: { processorId: string; order: number }[];
};

/**
 * Reads a flow that is visible to the caller and locks its row until the transaction ends; 404 otherwise. The lock for
 * a deletion waits for concurrent transactions that assign the flow to a store, or charge by it.
 */
export async function lockFlow(
  { tenant }: TenantContext,
  { tx }: Write,
  id: string,
  { toDelete = false } = {},
): Promise<FlowRow> {
  await lockRow(tx, 'payment_flows', id, toDelete ? 'UPDATE' : 'NO KEY UPDATE');
  const { routes, ...flow } = await ownRow(tx, tenant, 'paymentFlow', id, {
    include: { routes: { orderBy: [{ position: 'asc' }, { processorId: 'asc' }] } },
  });
  const of = (kind: string) => routes.filter((route) => route.kind === kind);
  return {
    ...flow,
    processors: of('weighted').map(({ processorId, weight }) => ({ processorId, weight: weight ?? 1 })),
    fallbacks: of('fallback').map(({ processorId, position }) => ({ processorId, order: position })),
  };
}

type Lists = Pick<FlowShape, 'processors' | 'fallbacks'>;

/** The account to which all processors of a flow belong. 400 names each processor that does not belong to it. */
export async function ownerOf(
  { tenant }: TenantContext,
  { tx }: Write,
  lists: Lists,
  accountId: string | undefined,
): Promise<{ partnerId: string; platformAccountId: string; mode: string }> {
  const named = [...lists.processors, ...lists.fallbacks].map(({ processorId }) => processorId);
  const found = await tx.processor.findMany({
    where: { ...tenant, id: { in: named } },
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

export async function replaceRoutes(
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

export function assertNoIssues(issues: ReturnType<typeof flowIssues>): void {
  if (issues.length > 0) throw new InvalidInput(issues);
}

export function auditedOf({ name, strategy, processors, fallbacks, maxRetries, sticky, threeDs }: FlowRow): object {
  return { name, strategy, processors, fallbacks, maxRetries, sticky, threeDs };
}
