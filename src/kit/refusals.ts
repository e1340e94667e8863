import { DomainError } from './errors.ts';
import { recordParts } from './records.ts';
import type { Log } from './log.ts';
import { recordedBy, type Writer } from './write.ts';

/** A transaction that failed has undone its own audit row, so what came of the attempt is written down by itself. */
export async function recordRefusal(
  context: Writer & { env: { log: Log } },
  attempt: { action: string; target: string | null },
  error: unknown,
): Promise<void> {
  const told = outcomeOf(error);
  if (told === null) return;
  const { env } = context;
  const values: unknown[] = [];
  const parts = recordParts(
    recordedBy(context, env.clock.now()),
    [],
    [{ ...attempt, ...told }],
    (value) => `$${values.push(value)}`,
  );
  try {
    await env.prisma.$queryRawUnsafe(`WITH ${parts.join(', ')} SELECT 1 AS done`, ...values);
  } catch (failure) {
    // The caller is to hear why the change was refused, not that we could not write it down.
    env.log.error({ err: failure, ...attempt, ...told }, 'A refused change could not be written into the audit log.');
  }
}

/** What the audit log says of an error: denied for 403, failed for 404, 409 and our own bugs; a malformed request was no attempt. */
function outcomeOf(error: unknown): { outcome: 'denied' | 'failed'; reason: string } | null {
  if (!(error instanceof DomainError)) return { outcome: 'failed', reason: 'internal_error' };
  const reason = typeof error.data['reason'] === 'string' ? error.data['reason'] : error.code.toLowerCase();
  if (error.status === 403) return { outcome: 'denied', reason };
  return error.status === 404 || error.status === 409 ? { outcome: 'failed', reason } : null;
}
