import type { FunnelSession } from '../../generated/prisma/client.ts';
import type { Services } from '../../services.ts';
import { pageUrlOf } from '../plugins/public.ts';
import { tokenOfSession } from './checkout-token.ts';
import type { FunnelMove } from './move-session.ts';
import { isEnd, nodeOf } from './next-step.ts';
import { graphOf } from './session-records.ts';
import { configOf, textIn } from './step-config.ts';

type SessionPosition = Pick<
  FunnelSession,
  'id' | 'tokenHash' | 'storeId' | 'funnelId' | 'version' | 'currentStepId' | 'variantId'
>;

/** The URL of the page of a session's current step, with the token that opens the session. */
export async function urlOfSession(services: Services, session: SessionPosition): Promise<string | null> {
  const config = configOf(nodeOf(await graphOf(services.prisma, session), session.currentStepId), session.variantId);
  const instanceId = textIn(config, 'instanceId');
  if (instanceId === null) return null;
  return pageUrlOf(services.prisma, services.config.publicUrl, {
    storeId: session.storeId,
    deploymentInstanceId: instanceId,
    path: textIn(config, 'path') ?? '/',
    session: tokenOfSession(services.config, session),
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
