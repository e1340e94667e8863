import { createHash } from 'node:crypto';
import { lockRow } from '../../../database/lock-row.ts';
import { constant, execute, queryRow, sql } from '../../../database/sql.ts';
import type { FunnelOrder, FunnelSession } from '../../../generated/prisma/client.ts';
import { inBatches } from '../../../jobs/leases.ts';
import { keyedHash } from '../../../keys/derived-key.ts';
import type { Mode } from '../../../lib/ids.ts';
import type { Services } from '../../../services.ts';
import type { Config } from '../../../settings/config.ts';
import type { EventDraft } from '../../../unit-of-work/records.ts';
import type { Write } from '../../../unit-of-work/write.ts';
import { abandonedFiguresPart } from '../figures.ts';
import { storedGraph } from '../graph/funnel-rows.ts';
import type { FunnelGraph } from '../graph/rules.ts';

/**
 * A session as the API returns it (rest/public/funnels.graphql), but without `url`, which contains the secret of the
 * session.
 */
interface SessionObject {
  id: string;
  storeId: string;
  platformAccountId: string;
  funnelId: string;
  funnelVersion: number;
  customerId: string | null;
  currentStepId: string;
  variantId: string | null;
  status: string;
  done: boolean;
  convertedAt: Date | null;
  expiresAt: Date;
  livemode: boolean;
  createdAt: Date;
  updatedAt: Date;
}

/** `done` is true if the current step has no outgoing edges. */
function sessionObject(session: FunnelSession, done: boolean): SessionObject {
  return {
    id: session.id,
    storeId: session.storeId,
    platformAccountId: session.platformAccountId,
    funnelId: session.funnelId,
    funnelVersion: session.version,
    customerId: session.customerId,
    currentStepId: session.currentStepId,
    variantId: session.variantId,
    status: session.status,
    done,
    convertedAt: session.convertedAt,
    expiresAt: session.expiresAt,
    livemode: session.mode === 'live',
    createdAt: session.createdAt,
    updatedAt: session.updatedAt,
  };
}

/** A session without events for this time is abandoned. */
export const abandonedAfterMs = 24 * 3_600_000;

/** An event of a session, with the session as the API returns it, but without its URL. */
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
  await lockRow(tx, 'funnel_sessions', id);
  return tx.funnelSession.findUniqueOrThrow({ where: { id } });
}

/**
 * The secret in the URLs of a session's pages. It is derived from the session's id with a key of the platform, so that
 * it is not stored: the database contains only its hash, and no stored answer contains it.
 */
export function checkoutToken({ fingerprintKey }: Pick<Config, 'fingerprintKey'>, sessionId: string): string {
  return keyedHash(fingerprintKey, 'checkout-token', sessionId);
}

export function tokenHashOf(token: string): string {
  return createHash('sha256').update(token).digest('base64url');
}

export function isCheckoutToken(text: string): boolean {
  return /^[A-Za-z0-9_-]{43}$/.test(text);
}

export function addSession(tx: Write['tx'], session: FunnelSession): Promise<FunnelSession> {
  return tx.funnelSession.create({ data: session });
}

/** Stores the columns that an event changes. */
export async function updateSession(tx: Write['tx'], after: FunnelSession): Promise<void> {
  await tx.funnelSession.update({
    where: { id: after.id },
    data: {
      customerId: after.customerId,
      paymentInstrumentId: after.paymentInstrumentId,
      currentStepId: after.currentStepId,
      variantId: after.variantId,
      status: after.status,
      moves: after.moves,
      convertedAt: after.convertedAt,
      expiresAt: after.expiresAt,
      sequence: after.sequence,
      updatedAt: after.updatedAt,
    },
  });
}

export function addSessionOrder(tx: Write['tx'], order: FunnelOrder): Promise<FunnelOrder> {
  return tx.funnelOrder.create({ data: order });
}

/** Sets whether a payment of the order may still move its session. */
export async function setOrderOpen(tx: Write['tx'], orderId: string, open: boolean): Promise<void> {
  await tx.funnelOrder.updateMany({ where: { orderId, open: !open }, data: { open } });
}

/** Sessions that one statement abandons. */
const abandonedMax = 1_000;
const hourMs = 3_600_000;

/**
 * Abandons sessions without an event for a day. An hour later no payment can be starting in them, and their orders are
 * closed.
 */
export async function abandonSessions(services: Pick<Services, 'pool' | 'clock'>): Promise<number> {
  const abandoned = await inBatches(abandonedMax, () => abandonBatch(services));
  await closeOrders(services);
  return abandoned;
}

async function abandonBatch({ pool, clock }: Pick<Services, 'pool' | 'clock'>): Promise<number> {
  const row = await queryRow<{ n: number }>(
    pool,
    sql`
WITH abandoned AS (
  UPDATE funnel_sessions
  SET status = 'abandoned', "updatedAt" = ${clock.now()}
  WHERE id IN (
    SELECT id
    FROM funnel_sessions
    WHERE status = 'active' AND "expiresAt" <= ${clock.earliest()}
    ORDER BY "expiresAt"
    LIMIT ${constant(abandonedMax)}
    FOR NO KEY UPDATE SKIP LOCKED
  )
  RETURNING "funnelId", "currentStepId", "variantId"
),
${abandonedFiguresPart}
SELECT count(*)::int AS n FROM abandoned`,
  );
  return row?.n ?? 0;
}

async function closeOrders({ pool, clock }: Pick<Services, 'pool' | 'clock'>): Promise<void> {
  await execute(
    pool,
    sql`
UPDATE funnel_orders
SET open = false
WHERE "orderId" IN (
  SELECT f."orderId"
  FROM funnel_orders f
  JOIN funnel_sessions s ON s.id = f."sessionId"
  WHERE f.open
  AND s."expiresAt" <= ${new Date(clock.earliest().getTime() - hourMs)}
  AND NOT EXISTS (
    SELECT 1
    FROM payments p
    WHERE p."orderId" = f."orderId"
      AND (p.status = 'pending' OR NOT EXISTS (SELECT 1 FROM funnel_events e WHERE e."paymentId" = p.id))
  )
  FOR NO KEY UPDATE OF f SKIP LOCKED
)`,
  );
}
