import type { FunnelSession } from '../../generated/prisma/client.ts';
import type { Write } from '../../write/write.ts';
import type { ExpressionFacts } from './expression.ts';
import type { FunnelGraph } from './graph-rules.ts';
import type { SessionEvent } from './move-session.ts';

/** The facts for the expressions of the current step's edges. Order and customer are read only if there is one. */
export async function factsOf(
  tx: Write['tx'],
  graph: FunnelGraph,
  session: FunnelSession,
  { id, type, data, payment }: SessionEvent,
): Promise<ExpressionFacts> {
  const isAsked = graph.edges.some(
    ({ source, condition }) => source === session.currentStepId && condition.expression !== null,
  );
  const customerId = payment?.customerId ?? session.customerId;
  const customer = isAsked && customerId !== null ? await tx.customer.findUnique({ where: { id: customerId } }) : null;
  const order = isAsked && payment?.orderId ? await tx.order.findUnique({ where: { id: payment.orderId } }) : null;
  return {
    event: { id, type, data },
    payment,
    order: order ?? undefined,
    customer: customer
      ? { id: customer.id, email: customer.email, country: countryOf(customer.billingAddress), tags: customer.tags }
      : undefined,
    session: { id: session.id, stepId: session.currentStepId, variantId: session.variantId, moves: session.moves },
  };
}

function countryOf(address: unknown): string | null {
  return typeof address === 'object' && address !== null && 'country' in address && typeof address.country === 'string'
    ? address.country
    : null;
}
