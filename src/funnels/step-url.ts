import type { Env } from '../env.ts';
import type { FunnelSession } from '../generated/prisma/client.ts';
import { pageUrlOf } from '../plugins/operations.ts';
import { checkoutToken } from './checkout-token.ts';
import type { FunnelMove } from './move-session.ts';
import { isEnd, nodeOf } from './next-step.ts';
import { graphOf } from './session-records.ts';
import { configOf, textIn } from './step-config.ts';

type Standing = Pick<FunnelSession, 'id' | 'storeId' | 'funnelId' | 'version' | 'currentStepId' | 'variantId'>;

/** The page of the step a session stands at, with the secret that opens it. */
export async function urlOfSession(env: Env, session: Standing): Promise<string | null> {
  const config = configOf(nodeOf(await graphOf(env.prisma, session), session.currentStepId), session.variantId);
  const instanceId = textIn(config, 'instanceId');
  if (instanceId === null) return null;
  return pageUrlOf(env.prisma, env.config.publicUrl, {
    storeId: session.storeId,
    deploymentInstanceId: instanceId,
    path: textIn(config, 'path') ?? '/',
    session: checkoutToken(env.config, session.id),
  });
}

export async function urlOfMove(env: Env, { sessionId, currentStepId, variantId }: FunnelMove): Promise<string | null> {
  const session = await env.prisma.funnelSession.findUniqueOrThrow({ where: { id: sessionId } });
  return urlOfSession(env, { ...session, currentStepId, variantId });
}

export async function isDone(
  { prisma }: Pick<Env, 'prisma'>,
  session: Pick<FunnelSession, 'funnelId' | 'version' | 'currentStepId'>,
): Promise<boolean> {
  return isEnd(await graphOf(prisma, session), session.currentStepId);
}
