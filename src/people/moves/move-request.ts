import type pg from 'pg';
import type { Queryable } from '../../database/sql.ts';
import type { Difference } from '../../domains/ledger/public.ts';
import type { KeyRing } from '../../kit/encryption/key-ring.ts';
import type { Vault } from '../../ports/vault.ts';
import type { AuditKeys } from '../../write/audit-keys.ts';
import type { RecordedBy } from '../../write/records.ts';

/** What a move needs of the cell that the partner moves to: less than all services of a server, which take seconds. */
interface Here {
  tag: string;
  vaultKeys: KeyRing;
  auditKeys: AuditKeys;
  now(): Date;
  /** A vault with the keys of this cell and the cards of a database. */
  vaultOn(pool: pg.Pool): Vault;
  ledgerDifferences(database: Queryable): Promise<Difference[]>;
}

export interface MoveRequest {
  slug: string;
  /** The database of the cell that the partner leaves, as the role that owns its tables. */
  sourceUrl: string;
  /** The database of this cell, as the role that owns its tables. */
  targetUrl: string;
  here: Here;
  by: Omit<RecordedBy, 'now' | 'testClockId' | 'auditKeys'>;
  /** How long what is in flight may take. */
  drainMaxMs: number;
  /** Told of each step when it is done. */
  say(line: string): void;
}

/** A move with connections to both databases. */
export interface Cells extends MoveRequest {
  source: pg.Client;
  target: pg.Client;
}
