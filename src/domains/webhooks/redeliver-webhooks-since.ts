import { sql } from '../../database/sql.ts';
import type { KeyContext } from '../../graph/context.ts';
import { invalid } from '../../kit/errors.ts';
import { auditsOnBehalf } from '../../write/on-behalf.ts';
import { write } from '../../write/write.ts';
import { assertEnabled, redeliver } from './delivery-rows.ts';
import { findEndpoint } from './endpoint-rows.ts';

/** How many deliveries one call may send again, so that it stays one short transaction. */
const redeliveredMax = 50_000;

/** Sends all events of an endpoint since a moment again, including delivered ones, which its owner may have lost. */
export async function redeliverWebhooksSince(
  context: KeyContext,
  webhookId: string,
  since: Date,
): Promise<{ redelivered: number }> {
  return write(context, 'redeliverWebhooksSince', async ({ tx, now, audit }) => {
    assertEnabled(await findEndpoint(context, tx, webhookId));
    const [counted] = await tx.$queryRaw<{ n: bigint }[]>(sql`
      SELECT count(*) AS n
      FROM (
        SELECT 1
        FROM webhook_deliveries
        WHERE "endpointId" = ${webhookId} AND "createdAt" >= ${since}
        LIMIT ${redeliveredMax + 1}::int
      ) found`);
    if (Number(counted?.n ?? 0) > redeliveredMax)
      throw invalid('since', `must be later: more than ${redeliveredMax} events have gone to this endpoint since then`);
    const redelivered = await tx.$executeRaw(
      redeliver(sql`t."endpointId" = ${webhookId} AND t."createdAt" >= ${since}`, now),
    );
    for (const row of auditsOnBehalf(context, webhookId, null, { since: since.toISOString(), redelivered })) audit(row);
    return { redelivered };
  });
}
