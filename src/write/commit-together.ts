import { isConflictOfTransactions, isOfStatement } from '../database/statement-errors.ts';
import { together } from '../database/together.ts';

/** What is committed by one statement for all items that arrive together. */
export interface SharedCommit<Item> {
  /** What only one item of a batch may be about, such as a key that it claims. */
  claims(item: Item): string[];
  /**
   * Writes all items that can be written and returns them. An item of a batch (`isShared`) is not written if it would
   * have to wait for a row that is locked.
   */
  write(items: readonly Item[], isShared: boolean): Promise<ReadonlySet<Item>>;
  /** Whether an item that was not written with others could be written alone. */
  mayBeWrittenAlone(item: Item): boolean;
}

const itemsMax = 32;
const attemptsMax = 3;

/**
 * Commits items that arrive together with one statement, and returns whether an item was written. No item touches its
 * neighbors: one that cannot be written is left out, and after an error, all items of the batch are written one by one,
 * each with the answer that it alone has.
 */
export function commitTogether<Item>(commit: SharedCommit<Item>): (item: Item) => Promise<boolean> {
  const load = together<Item, boolean | 'alone'>((items) => writeBatch(commit, items), { most: itemsMax });
  return async (item) => {
    const isWritten = await load(item);
    return isWritten === 'alone' ? writeAlone(commit, item) : isWritten;
  };
}

async function writeBatch<Item>(commit: SharedCommit<Item>, items: readonly Item[]): Promise<(boolean | 'alone')[]> {
  const claimed = new Set<string>();
  const batch = new Set<Item>();
  for (const item of items) {
    const claims = commit.claims(item);
    if (claims.some((claim) => claimed.has(claim))) continue;
    for (const claim of claims) claimed.add(claim);
    batch.add(item);
  }
  try {
    const written = await commit.write([...batch], true);
    return items.map((item) => {
      if (written.has(item)) return true;
      return !batch.has(item) || commit.mayBeWrittenAlone(item) ? 'alone' : false;
    });
  } catch (error) {
    // Of a batch whose end is not known, each item has the error that it would have had alone.
    if (!isOfStatement(error)) throw error;
    return items.map(() => 'alone');
  }
}

async function writeAlone<Item>(commit: SharedCommit<Item>, item: Item): Promise<boolean> {
  for (let attempt = 1; ; attempt++) {
    try {
      return (await commit.write([item], false)).has(item);
    } catch (error) {
      if (attempt === attemptsMax || !isConflictOfTransactions(error)) throw error;
    }
  }
}
