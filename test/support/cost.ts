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
