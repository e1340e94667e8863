const hashesAtOnceMax = 2;
let free = hashesAtOnceMax;
const waiting: (() => void)[] = [];

/**
 * Runs work that hashes a password, few at a time, the others in the order they came. One process has four threads for such work,
 * and opening a database connection needs one, too: a crowd signing in must not keep payments from theirs.
 */
export async function hashing<Result>(work: () => Promise<Result>): Promise<Result> {
  if (free > 0) free--;
  else await new Promise<void>((turn) => waiting.push(turn));
  try {
    return await work();
  } finally {
    const next = waiting.shift();
    if (next) next();
    else free++;
  }
}
