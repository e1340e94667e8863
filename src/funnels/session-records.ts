import type { FunnelSession } from '../generated/prisma/client.ts';
import type { Mode } from '../kit/mode.ts';
import type { EventDraft } from '../kit/records.ts';
import type { Write } from '../kit/write.ts';
import { keptGraph } from './funnel-records.ts';
import type { FunnelGraph } from './graph-rules.ts';

/** A visitor who does nothing for so long has gone. */
export const abandonedAfterMs = 24 * 3_600_000;

/** The event of a session, with the session as the API shows it; never its link. */
export function sessionEvent(
  type: 'funnel/stepEntered' | 'funnel/converted',
  session: FunnelSession,
  sequence: number,
  entered: { fromStepId: string | null; eventType: string | null },
): EventDraft {
  const {
    id: objectId,
    partnerId,
    platformAccountId,
    storeId,
    funnelId,
    version: funnelVersion,
    customerId,
    currentStepId,
    variantId,
    status,
    convertedAt,
    expiresAt,
    createdAt,
    updatedAt,
  } = session;
  const mode = session.mode as Mode; // its account's, which a CHECK constraint holds to the two
  const object = {
    id: objectId,
    storeId,
    platformAccountId,
    funnelId,
    funnelVersion,
    customerId,
    currentStepId,
    variantId,
    status,
    convertedAt,
    expiresAt,
    livemode: mode === 'live',
    createdAt,
    updatedAt,
    ...entered,
  };
  return { type, partnerId, platformAccountId, mode, storeId, objectId, sequence, object };
}

/** The funnel a session walks: as it was when the session began, whatever became of it since. */
export async function graphOf(
  tx: Pick<Write['tx'], 'funnelVersion'>,
  { funnelId, version }: Pick<FunnelSession, 'funnelId' | 'version'>,
): Promise<FunnelGraph> {
  return keptGraph(await tx.funnelVersion.findUniqueOrThrow({ where: { funnelId_version: { funnelId, version } } }));
}

/** The session, locked until the change ends. */
export async function lockSession(tx: Write['tx'], id: string): Promise<FunnelSession> {
  await tx.$queryRaw`SELECT id FROM funnel_sessions WHERE id = ${id} FOR NO KEY UPDATE`;
  return tx.funnelSession.findUniqueOrThrow({ where: { id } });
}
