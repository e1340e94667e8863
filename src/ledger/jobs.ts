import type { Env } from '../env.ts';
import { compareWithTestProcessor, type Difference } from './compare-books.ts';

const lookBackMs = 25 * 3_600_000;

/**
 * Holds the last day's attempts against the processor's own books. What is open, settling mends by asking; what has ended on both
 * sides and differs is nobody's to guess: it is told to the log and to the figures, for a person to look into.
 */
export async function reconcileBooks(env: Pick<Env, 'pool' | 'processors' | 'clock' | 'metrics' | 'log'>): Promise<Difference[]> {
  const { differences } = await compareWithTestProcessor(env, new Date(env.clock.now().getTime() - lookBackMs));
  env.metrics.booksDiffer(differences.length);
  for (const difference of differences) env.log.error(difference, "Our books and a processor's differ.");
  return differences;
}
