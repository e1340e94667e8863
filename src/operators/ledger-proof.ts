import type { Env } from '../env.ts';
import type { SessionContext } from '../graph/context.ts';
import { type BooksReport, verifyBooks } from '../ledger/operations.ts';

/** What is wrong with the books is wrong once, and a thousand times more says no more. */
export const differencesShownMax = 100;

const running = new WeakMap<Env['pool'], Promise<BooksReport>>();

/** Proves the books over the whole of them. Whoever asks while a proof is under way in this process gets that one. */
export function proveLedger({ env }: SessionContext): Promise<BooksReport> {
  const present = running.get(env.pool);
  if (present) return present;
  const proof = verifyBooks(env).finally(() => running.delete(env.pool));
  running.set(env.pool, proof);
  return proof;
}
