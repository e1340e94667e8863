import { appendFile, readFile } from 'node:fs/promises';
import { type Queryable, queryRow, sql } from '../../database/sql.ts';
import type { AuditKeys } from '../../keys/audit-keys.ts';
import type { Services } from '../../services.ts';
import { ConfigError } from '../../settings/config.ts';

/** The head of the audit log at a moment, stored outside of the database. */
export interface Anchor {
  sequence: number;
  hash: string;
}

/** The last row of the log; null while there is none. */
export async function readHead(database: Queryable): Promise<Anchor | null> {
  const head = await queryRow<Anchor>(database, sql`SELECT sequence, hash FROM audit.head WHERE sequence > 0`);
  return head ?? null;
}

const anchoredLast = new WeakMap<Services['pool'], number>();

/**
 * Stores the head of the log where a writer to the database cannot change it: in the server's log, and in the file of
 * `AUDIT_ANCHOR_FILE`. Does nothing if the log has no row that this process has not anchored.
 */
export async function anchorAudit({ pool, log, clock, config, auditKeys }: Services): Promise<void> {
  const head = await readHead(pool);
  if (!head || head.sequence <= (anchoredLast.get(pool) ?? 0)) return;
  const anchor = `${head.sequence}:${head.hash}`;
  log.info({ auditAnchor: anchor }, 'The head of the audit log.');
  if (config.auditAnchorFile !== null) {
    const keyId = auditKeys.newestId;
    const line = { at: clock.now(), anchor, keyId, code: auditKeys.anchorCode(keyId, anchor) };
    await appendFile(config.auditAnchorFile, `${JSON.stringify(line)}\n`, { mode: 0o600 });
  }
  anchoredLast.set(pool, head.sequence);
}

/** The anchors that an operator enters: one as `sequence:hash`, or the lines of a file. */
export async function readAnchors(given: string, keys: AuditKeys): Promise<Anchor[]> {
  const one = anchorOf(given);
  if (one) return [one];
  const lines = (await readAnchorFile(given)).split('\n').filter((line) => line.trim() !== '');
  return lines.map((line, index) => {
    const { anchor = '', keyId = '', code } = fieldsOf(line);
    const read = anchorOf(anchor);
    if (!read || keys.anchorCode(keyId, anchor) !== code)
      throw new ConfigError(`Line ${index + 1} of ${given} is no anchor of these keys: the file was changed.`);
    return read;
  });
}

async function readAnchorFile(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw new ConfigError(`--anchor is neither sequence:hash nor a file that can be read: ${path}.`, { cause: error });
  }
}

/** A line that is not JSON has no fields. */
function fieldsOf(line: string): Partial<Record<'anchor' | 'keyId' | 'code', string>> {
  try {
    return JSON.parse(line) as Partial<Record<'anchor' | 'keyId' | 'code', string>>; // the caller checks the code
  } catch {
    return {};
  }
}

function anchorOf(text: string): Anchor | null {
  const [, sequence, hash = ''] = /^(\d{1,15}):([0-9a-f]{64})$/.exec(text) ?? [];
  return sequence === undefined ? null : { sequence: Number(sequence), hash };
}
