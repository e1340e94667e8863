import type pg from 'pg';
import { isConflictOfTransactions, isOfStatement } from '../database/errors.ts';
import { loneStatements } from '../database/lone-statements.ts';
import { type Turns, together } from '../database/together.ts';

/** What is committed by one statement for all items that arrive together. */
export interface SharedCommit<Item, Result> {
  /** Whose rows the item is about, such as the account. What waits for them holds up nobody else. */
  tenantOf(item: Item): string;
  /** What only one item of a batch may be about, such as a key that it claims. */
  claims(item: Item): string[];
  /**
   * Writes all items that can be written and returns what each has become, by a statement that waits for a lock no
   * longer than `lockWaitMs`. An item of a batch (`isShared`) is not written if it is about a row that is locked.
   */
  write(items: readonly Item[], isShared: boolean): Promise<ReadonlyMap<Item, Result>>;
  /**
   * Whether an item that was not written with others could be written alone: it was in their statement, or it was left
   * out of the batch, since another item claims the same.
   */
  mayBeWrittenAlone(item: Item, wasInBatch: boolean): boolean;
}

const itemsMax = 32;
const attemptsMax = 3;

/**
 * Commits items that arrive together with one statement. Returns what an item has become, or undefined if it was not
 * written. No item touches its neighbors: one that cannot be written is left out, and after an error, all items of the
 * batch are written one by one, each with the answer that it alone has. Commits that share `turns`
 * are under way one at a time, so that their batches are larger than beside each other.
 *
 * The statement refers to rows of many tenants, and one that is locked would hold up all of them. So it gives up soon.
 * Only the items that refer to such a row wait for it then, alone and outside of the turns, as do the next ones of their
 * tenant meanwhile.
 */
export function commitTogether<Item, Result extends object>(
  pool: pg.Pool,
  turns: Turns,
  commit: SharedCommit<Item, Result>,
): (item: Item) => Promise<Result | undefined> {
  const load = together<Item, Result | 'alone' | undefined>((items) => writeBatch(commit, items), {
    most: itemsMax,
    turns,
  });
  const lone = loneStatements(pool);
  return async (item) => {
    const tenant = commit.tenantOf(item);
    const written = lone.isHeldUp(tenant) ? 'alone' : await load(item);
    return written === 'alone' ? lone.run(tenant, () => writeAlone(commit, item)) : written;
  };
}

async function writeBatch<Item, Result extends object>(
  commit: SharedCommit<Item, Result>,
  items: readonly Item[],
): Promise<(Result | 'alone' | undefined)[]> {
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
    return items.map(
      (item) => written.get(item) ?? (commit.mayBeWrittenAlone(item, batch.has(item)) ? 'alone' : undefined),
    );
  } catch (error) {
    // Of a batch whose end is not known, each item has the error that it would have had alone.
    if (!isOfStatement(error)) throw error;
    return items.map(() => 'alone');
  }
}

async function writeAlone<Item, Result extends object>(
  commit: SharedCommit<Item, Result>,
  item: Item,
): Promise<Result | undefined> {
  for (let attempt = 1; ; attempt++) {
    try {
      return (await commit.write([item], false)).get(item);
    } catch (error) {
      if (attempt === attemptsMax || !isConflictOfTransactions(error)) throw error;
    }
  }
}
