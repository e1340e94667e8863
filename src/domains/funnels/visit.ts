import { assertOpenToVisitors } from '../../auth/standing.ts';
import type { FunnelSession } from '../../generated/prisma/client.ts';
import type { KeyContext } from '../../graph/context.ts';
import { type VisitorRequest, visitorContext } from '../../graph/visitor-context.ts';
import { Conflict, Gone, NotFound } from '../../kit/errors.ts';
import type { Language } from '../../look/languages.ts';
import { type Words, wordsIn } from '../../look/words.ts';
import type { Services } from '../../services.ts';
import type { CardVisit } from '../instruments/public.ts';
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
  words: Words;
}

export interface VisitFrom extends VisitorRequest {
  token: string;
  /** The language in which a decline is explained. English if left out. */
  language?: Language;
}

/** 404 if there is no such session, 410 if it has expired, 403 if its partner or account is cut off. */
export async function openVisit(
  services: Services,
  { token, requestId, ip, language = 'en' }: VisitFrom,
): Promise<Visit> {
  const found = isCheckoutToken(token)
    ? await services.prisma.funnelSession.findUnique({
        where: { tokenHash: tokenHashOf(token) },
        include: { store: { include: { account: { include: { partner: { select: { status: true } } } } } } },
      })
    : null;
  if (!found) throw new NotFound('There is no such checkout session.');
  const { store, ...session } = found;
  if (session.expiresAt <= services.clock.passed())
    throw new Gone('This checkout session is over: nothing happened in it for a day.');
  assertOpenToVisitors(store.account);
  const context = visitorContext(services, session, { requestId, ip });
  const graph = await graphOf(services.prisma, session);
  const node = nodeOf(graph, session.currentStepId);
  const config = configOf(node, session.variantId);
  return { context, session, graph, node, config, price: priceOf(config), words: wordsIn(language) };
}

export function cardVisitOf({ context: { ip }, session: { id: sessionId, storeId } }: Visit): CardVisit {
  return { sessionId, storeId, ip };
}

export function assertOffer({ node }: Visit): void {
  if (!offeringStepTypes.includes(node.type)) throw wrongStepError('Nothing is offered at this step.');
}

export function wrongStepError(message: string): Conflict {
  return new Conflict('invalid_state', message);
}
