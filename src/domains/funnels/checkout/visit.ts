import { assertOpenToVisitors } from '../../../auth/charging-status.ts';
import { type TenantContext, type VisitorRequest, visitorContext } from '../../../call/context.ts';
import type { FunnelSession } from '../../../generated/prisma/client.ts';
import { Conflict, Gone, NotFound } from '../../../lib/errors.ts';
import type { Services } from '../../../services.ts';
import { type Language, type Words, wordsIn } from '../../../theme/words.ts';
import type { CardVisit } from '../../instruments/public.ts';
import { pageUrlOf } from '../../plugins/public.ts';
import { isEnd, nodeOf } from '../graph/next-step.ts';
import { type FunnelGraph, type FunnelNode, offeringStepTypes } from '../graph/rules.ts';
import { configOf, priceOf, type StepConfig, type StepPrice, textIn } from '../graph/step-config.ts';
import type { FunnelMove } from '../sessions/move-session.ts';
import { checkoutToken, graphOf, isCheckoutToken, tokenHashOf } from '../sessions/rows.ts';

/** One request of a visitor's page: the session of its token, and a caller to whom only its account is visible. */
export interface Visit {
  context: TenantContext;
  session: FunnelSession;
  graph: FunnelGraph;
  node: FunnelNode;
  config: StepConfig;
  price: StepPrice | null;
  words: Words;
}

export interface VisitFrom extends VisitorRequest {
  token: string;
  /** The language in which a decline is explained. Default: English. */
  language?: Language;
}

/** 404 if there is no such session, 410 if it has expired, 403 if its partner or account may not charge. */
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
  if (!found) throw new NotFound('Checkout session not found.');
  const { store, ...session } = found;
  if (session.expiresAt <= services.clock.earliest())
    throw new Gone('The checkout session expired after 24 hours of inactivity.');
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
  if (!offeringStepTypes.includes(node.type)) throw wrongStepError('This step has no offer.');
}

export function wrongStepError(message: string): Conflict {
  return new Conflict('invalid_state', message);
}

type SessionPosition = Pick<
  FunnelSession,
  'id' | 'tokenHash' | 'storeId' | 'funnelId' | 'version' | 'currentStepId' | 'variantId'
>;

/** The URL of the page of a session's current step, with the token of the session. */
export async function urlOfSession(services: Services, session: SessionPosition): Promise<string | null> {
  const config = configOf(nodeOf(await graphOf(services.prisma, session), session.currentStepId), session.variantId);
  const instanceId = textIn(config, 'instanceId');
  if (instanceId === null) return null;
  return pageUrlOf(services.prisma, services.config.publicUrl, {
    storeId: session.storeId,
    deploymentInstanceId: instanceId,
    path: textIn(config, 'path') ?? '/',
    session: checkoutToken(services.config, session.id),
  });
}

export async function urlOfMove(
  services: Services,
  { sessionId, currentStepId, variantId }: FunnelMove,
): Promise<string | null> {
  const session = await services.prisma.funnelSession.findUniqueOrThrow({ where: { id: sessionId } });
  return urlOfSession(services, { ...session, currentStepId, variantId });
}

export async function isDone(
  { prisma }: Pick<Services, 'prisma'>,
  session: Pick<FunnelSession, 'funnelId' | 'version' | 'currentStepId'>,
): Promise<boolean> {
  return isEnd(await graphOf(prisma, session), session.currentStepId);
}
