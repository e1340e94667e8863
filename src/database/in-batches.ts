/**
 * Repeats a change of at most `batchMax` rows until it finds fewer, or the process stops, and returns the sum. A job
 * that changed one batch a run would fall behind for ever where rows come faster than that.
 */
export async function inBatches(
  batchMax: number,
  change: () => Promise<number>,
  stopping: AbortSignal = new AbortController().signal,
): Promise<number> {
  for (let sum = 0; ; ) {
    const changed = await change();
    sum += changed;
    if (changed < batchMax || stopping.aborted) return sum;
  }
}
