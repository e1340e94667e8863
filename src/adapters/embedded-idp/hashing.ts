const hashesAtOnceMax = 2;
let free = hashesAtOnceMax;
const waiting: (() => void)[] = [];

/**
 * Runs work that hashes a password, two at a time and in the order of the calls. A process has four threads for such
 * work, and opening a database connection needs one too: many concurrent sign-ins must not delay payments.
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

/** A password as the engine stores it. */
export async function hashPassword(password: string): Promise<string> {
  // Loaded with the first password, as the engine.
  const { hashPassword: hash } = await import('better-auth/crypto');
  return hashing(() => hash(password));
}
