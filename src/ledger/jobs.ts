import type { Env } from '../env.ts';
import type { RecordedBy } from '../kit/records.ts';
import { applyFollowUp } from '../payments/operations.ts';
import { atClockTime } from '../test-clocks/operations.ts';
import { compareWithTestProcessor, type Difference, type Untold } from './compare-books.ts';

const lookBackMs = 25 * 3_600_000;

/**
 * Holds the last day's attempts against the processor's own books. What is open, settling mends by asking; a hold that is over there
 * is over here, too, as if the processor had told of it; whatever else has ended on both sides and differs is nobody's to guess: it
 * is told to the log and to the figures, for a person to look into.
 */
export async function reconcileBooks(env: Env): Promise<Difference[]> {
  const { differences: found } = await compareWithTestProcessor(env, new Date(env.clock.now().getTime() - lookBackMs));
  const differences: Difference[] = [];
  for (const { untold, ...difference } of found)
    if (!(untold && (await takeOver(env, untold)))) differences.push(difference);
  env.metrics.booksDiffer(differences.length);
  for (const difference of differences) env.log.error(difference, "Our books and a processor's differ.");
  return differences;
}

/** By the way a processor's own message takes. False when something stands against it: then it is looked at again the next time. */
function takeOver(env: Env, { processorId, testClockId, notice }: Untold): Promise<boolean> {
  return atClockTime(env, testClockId, async () => {
    const now = env.clock.now();
    const by: RecordedBy = {
      actor: { kind: 'system', id: 'reconcile-books' },
      requestId: `job_reconcile_books_${now.getTime()}`,
      ip: null,
      now,
      testClockId: env.clock.testClockId,
    };
    try {
      return await applyFollowUp(env, by, processorId, notice);
    } catch (error) {
      env.log.warn(
        { err: error, processorId, authorizationReference: notice.authorizationReference },
        'What a processor did on its own could not be taken over yet.',
      );
      return false;
    }
  });
}
