/** What one request costs the event loop. Processor time of the thread: other processes do not add to it. */
export interface Cost<Result> {
  result: Result;
  /** The longest time, in milliseconds, for which everybody else had to wait. */
  longestTurnMs: number;
  /** All turns of the event loop together, in milliseconds, apart from idle ones. */
  busyMs: number;
}

const idleTurnMs = 0.3;

/** Runs `send` against a server in this process and measures each turn of the event loop meanwhile. */
export async function costOf<Result>(send: () => Promise<Result>): Promise<Cost<Result>> {
  let longestTurnMs = 0;
  let busyMs = 0;
  let running = true;
  let before = threadMs();
  const turn = (): void => {
    const now = threadMs();
    const spent = now - before;
    longestTurnMs = Math.max(longestTurnMs, spent);
    if (spent > idleTurnMs) busyMs += spent;
    before = now;
    if (running) setImmediate(turn);
  };
  setImmediate(turn);
  try {
    const result = await send();
    return { result, longestTurnMs, busyMs };
  } finally {
    running = false;
  }
}

/** The least cost of several runs, without the time of compiling, collecting garbage and connecting. */
export async function steadyCostOf<Result>(send: () => Promise<Result>, runs: number): Promise<Cost<Result>> {
  let best = await costOf(send);
  for (let run = 1; run < runs; run += 1) {
    const next = await costOf(send);
    if (next.longestTurnMs < best.longestTurnMs) best = next;
  }
  return best;
}

/**
 * What makes `send` too expensive, or null: a turn longer than `bound` times one of the honest request, in each of
 * several rounds in which both are measured. What slows the machine down slows both.
 */
export async function tooLong<Result>(
  send: () => Promise<Result>,
  honest: () => Promise<unknown>,
  { times, leastMs, rounds = 6 }: { times: number; leastMs: number; rounds?: number },
): Promise<{ result: Result; problem: string | null }> {
  let problem: string | null = null;
  let last: Cost<Result> = await costOf(send);
  for (let round = 0; round < rounds && last.longestTurnMs > leastMs; round += 1) {
    const honestMs = (await costOf(honest)).longestTurnMs;
    if (round > 0) last = await costOf(send);
    if (last.longestTurnMs <= Math.max(leastMs, times * honestMs)) return { result: last.result, problem: null };
    problem = `${last.longestTurnMs.toFixed(0)} ms, honest ${honestMs.toFixed(0)} ms`;
  }
  return { result: last.result, problem: last.longestTurnMs > leastMs ? problem : null };
}

/** The median of the longest turns of several runs. */
export async function usualTurnOf(send: () => Promise<unknown>, runs: number): Promise<number> {
  const turns: number[] = [];
  for (let run = 0; run < runs; run += 1) turns.push((await costOf(send)).longestTurnMs);
  return turns.sort((left, right) => left - right)[Math.floor(runs / 2)] ?? 0;
}

function threadMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
