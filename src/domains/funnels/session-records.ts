import { sql } from '../../database/sql.ts';
import type { FunnelSession } from '../../generated/prisma/client.ts';
import type { Mode } from '../../kit/mode.ts';
import type { EventDraft } from '../../write/records.ts';
import type { Write } from '../../write/write.ts';
import { storedGraph } from './funnel-rows.ts';
import type { FunnelGraph } from './graph-rules.ts';
import { sessionObject } from './session-object.ts';

/** A session in which nothing happens for this long is abandoned. */
export const abandonedAfterMs = 24 * 3_600_000;

/** An event of a session, with the session as the API answers it, but without its URL. */
export function sessionEvent(
  type: 'funnel/stepEntered' | 'funnel/converted',
  session: FunnelSession,
  sequence: number,
  done: boolean,
): EventDraft {
  const { id: objectId, partnerId, platformAccountId, storeId } = session;
  const mode = session.mode as Mode; // a CHECK constraint limits the column to the two modes
  return {
    type,
    partnerId,
    platformAccountId,
    mode,
    storeId,
    objectId,
    sequence,
    object: sessionObject(session, done),
  };
}

/** The graph of a session: the version of the funnel with which the session started. */
export async function graphOf(
  tx: Pick<Write['tx'], 'funnelVersion'>,
  { funnelId, version }: Pick<FunnelSession, 'funnelId' | 'version'>,
): Promise<FunnelGraph> {
  return storedGraph(await tx.funnelVersion.findUniqueOrThrow({ where: { funnelId_version: { funnelId, version } } }));
}

/** The session, locked until the transaction ends. */
export async function lockSession(tx: Write['tx'], id: string): Promise<FunnelSession> {
  await tx.$queryRaw(sql`SELECT id FROM funnel_sessions WHERE id = ${id} FOR NO KEY UPDATE`);
  return tx.funnelSession.findUniqueOrThrow({ where: { id } });
}
