/** How long a processor counts as late after a call that it did not answer in time. */
const lateMs = 60_000;
const knownMax = 10_000;

/**
 * The connections that have just not answered this process, by their ids. What is due at them comes last, so that they
 * hold up no others. Forgotten with the process, which finds them again.
 */
const lateUntil = new Map<string, number>();

export function noteLate(processorId: string, now = performance.now()): void {
  lateUntil.delete(processorId);
  lateUntil.set(processorId, now + lateMs);
  for (const [oldest] of lateUntil) if (lateUntil.size > knownMax) lateUntil.delete(oldest);
}

export function noteAnswer(processorId: string): void {
  lateUntil.delete(processorId);
}

/** 0 if the connection is not late. Of two that are, the one that was asked longer ago has the smaller number. */
export function lateness(processorId: string | null, now = performance.now()): number {
  const until = processorId === null ? 0 : (lateUntil.get(processorId) ?? 0);
  return until > now ? until : 0;
}
