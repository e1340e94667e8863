import type pg from 'pg';
import { batched } from '../database/batched.ts';
import { queryRows, sql } from '../database/sql.ts';

/** The move of a key's partner to another cell (src/people/moves). */
export interface MoveOfKey {
  state: 'stopped' | 'aside' | 'moved';
  /** The tag of the cell it is moved to. */
  cell: string;
}

/**
 * Finds the move of the key with this hash; undefined without one. Look-ups that arrive while one is under way are one
 * statement.
 */
export function movesOfKeys(pool: pg.Pool): (secretHash: string) => Promise<MoveOfKey | undefined> {
  return batched<string, MoveOfKey | undefined>(
    async (hashes) => {
      const rows = await queryRows<MoveOfKey & { secretHash: string }>(
        pool,
        sql`
          SELECT s."secretHash", m.state, m.cell
          FROM cells.stopped_keys s
          JOIN cells.moves m ON m."partnerId" = s."partnerId"
          WHERE s."secretHash" = ANY(${hashes})`,
      );
      const byHash = new Map(rows.map((row) => [row.secretHash, row]));
      return hashes.map((hash) => byHash.get(hash));
    },
    { most: lookUpsMax },
  );
}

const lookUpsMax = 100;
