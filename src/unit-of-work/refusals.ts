import { join, sql } from '../database/sql.ts';
import { DomainError } from '../lib/errors.ts';
import { isOutage, outageName } from '../lib/outage.ts';
import type { Log, Outages } from '../observability/log.ts';
import { recordParts } from './records.ts';
import { recordedBy, type Writer } from './write.ts';

interface Attempt {
  action: string;
  target: string | null;
  /** What the person gave. */
  reason?: string | null | undefined;
}

/** Records a rejected change. Its own transaction was rolled back, together with its audit row. */
export async function recordRefusal(
  context: Writer & { services: { log: Log; outages: Outages } },
  { reason, ...attempt }: Attempt,
  error: unknown,
): Promise<void> {
  const refusalOutcome = auditOutcome(error);
  if (refusalOutcome === null) return;
  const { services } = context;
  const refused = { ...attempt, ...refusalOutcome, ...(reason != null && { after: { reason } }) };
  const parts = recordParts(recordedBy(context, services.clock.now()), [], [refused]);
  try {
    await services.prisma.$queryRaw(sql`WITH ${join(parts, ', ')} SELECT 1 AS done`);
  } catch (failure) {
    // The caller gets the reason for the refusal, not the failure to record it.
    if (isOutage(failure)) return services.outages.note('a row of the audit log', outageName(failure));
    services.log.error(
      { err: failure, ...attempt, ...refusalOutcome },
      'A refused change could not be written into the audit log.',
    );
  }
}

/**
 * The outcome of an error in the audit log: denied for 403, failed for 404, 409, 503 and internal errors. A malformed
 * request is not recorded.
 */
function auditOutcome(error: unknown): { outcome: 'denied' | 'failed'; reason: string } | null {
  if (!(error instanceof DomainError))
    return { outcome: 'failed', reason: isOutage(error) ? 'service_unavailable' : 'internal_error' };
  const reason = typeof error.data['reason'] === 'string' ? error.data['reason'] : error.code.toLowerCase();
  if (error.status === 403) return { outcome: 'denied', reason };
  return [404, 409, 503].includes(error.status) ? { outcome: 'failed', reason } : null;
}
