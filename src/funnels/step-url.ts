import type { Env } from '../env.ts';
import type { FunnelSession } from '../generated/prisma/client.ts';
import type { FunnelMove } from './move-session.ts';
import { isEnd } from './next-step.ts';
import { graphOf } from './session-records.ts';

/** The page of the step a session stands at, with the secret that opens it. */
export async function urlOfSession(_env: Env, _session: FunnelSession): Promise<string | null> {
  return null;
}

export async function urlOfMove({ prisma, ...env }: Env, { sessionId, currentStepId, variantId }: FunnelMove): Promise<string | null> {
  const session = await prisma.funnelSession.findUniqueOrThrow({ where: { id: sessionId } });
  return urlOfSession({ prisma, ...env }, { ...session, currentStepId, variantId });
}

export async function isDone({ prisma }: Pick<Env, 'prisma'>, session: Pick<FunnelSession, 'funnelId' | 'version' | 'currentStepId'>): Promise<boolean> {
  return isEnd(await graphOf(prisma, session), session.currentStepId);
}
