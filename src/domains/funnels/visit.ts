import { isCutOff } from '../../auth/standing.ts';
import type { FunnelSession } from '../../generated/prisma/client.ts';
import { createContext, type KeyContext } from '../../graph/context.ts';
import { Conflict, Forbidden, Gone, NotFound } from '../../kit/errors.ts';
import type { Mode } from '../../kit/mode.ts';
import type { Services } from '../../services.ts';
import { isCheckoutToken, tokenHashOf } from './checkout-token.ts';
import type { FunnelGraph, FunnelNode } from './graph-rules.ts';
import { offeringStepTypes } from './lifecycle.ts';
import { nodeOf } from './next-step.ts';
import { graphOf } from './session-records.ts';
import { configOf, priceOf, type StepConfig, type StepPrice } from './step-config.ts';

/** One request of a visitor's page: the session its token opens, and a caller to whom only its account is visible. */
export interface Visit {
  context: KeyContext;
  session: FunnelSession;
  graph: FunnelGraph;
  node: FunnelNode;
  config: StepConfig;
  price: StepPrice | null;
}

export interface VisitFrom {
  token: string;
  requestId: string;
  ip: string;
}

/** 404 if there is no such session, 410 if it has expired, 403 if its partner or account is cut off. */
export async function openVisit(services: Services, { token, requestId, ip }: VisitFrom): Promise<Visit> {
  const found = isCheckoutToken(token)
    ? await services.prisma.funnelSession.findUnique({
        where: { tokenHash: tokenHashOf(token) },
        include: { store: { include: { account: { include: { partner: { select: { status: true } } } } } } },
      })
    : null;
  if (!found) throw new NotFound('There is no such checkout session.');
  const { store, ...session } = found;
  if (session.expiresAt <= services.clock.now())
    throw new Gone('This checkout session is over: nothing happened in it for a day.');
  assertOpen(store.account);
  const context = visitorContext(services, session, { requestId, ip });
  const graph = await graphOf(services.prisma, session);
  const node = nodeOf(graph, session.currentStepId);
  const config = configOf(node, session.variantId);
  return { context, session, graph, node, config, price: priceOf(config) };
}

/** The context of a visitor: a caller limited to the account of a funnel or session, with the visitor as actor. */
export function visitorContext(
  services: Services,
  { id, partnerId, platformAccountId, mode }: Pick<FunnelSession, 'id' | 'partnerId' | 'platformAccountId' | 'mode'>,
  from: Omit<VisitFrom, 'token'>,
): KeyContext {
  const caller = {
    kind: 'subKey',
    keyId: id,
    keyPrefix: '',
    mode: mode as Mode, // a CHECK constraint limits the column to the two modes
    partnerId,
    platformAccountId,
  } as const;
  return { ...createContext({ services, caller, ...from }), caller, actor: { kind: 'visitor', id } };
}

/** A visitor is not told why. An account that waits for an operator shows its pages, and cannot be paid yet. */
export function assertOpen({ status, partner }: { status: string; partner: { status: string } }): void {
  const reason = isCutOff(partner.status)
    ? 'partner_not_active'
    : status === 'suspended' || status === 'closed'
      ? 'account_not_active'
      : null;
  if (reason !== null) throw new Forbidden(reason, 'This checkout is closed at the moment.');
}

export function assertOffer({ node }: Visit): void {
  if (!offeringStepTypes.includes(node.type)) throw wrongStepError('Nothing is offered at this step.');
}

export function wrongStepError(message: string): Conflict {
  return new Conflict('invalid_state', message);
}
