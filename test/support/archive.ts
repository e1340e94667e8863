import { type ArchiveOptions, archiveMonths } from '../../src/database/archive/archive-months.ts';
import { join, type Queryable, type Sql, sql } from '../../src/database/sql.ts';
import type { AuditKeys } from '../../src/keys/audit-keys.ts';
import { newOrderedId } from '../../src/lib/ids.ts';
import { type AuditDraft, recordParts } from '../../src/unit-of-work/records.ts';

function auditParts(now: Date, keys: AuditKeys, draft: AuditDraft): Sql {
  const by = { actor: { kind: 'system', id: 'test' }, requestId: 'req_test', ip: null, now, testClockId: null };
  return join(recordParts({ ...by, auditKeys: keys }, [], [draft]), ', ');
}

export async function addAuditRow(database: Queryable, at: Date, keys: AuditKeys): Promise<void> {
  // Everything that JSON and a line could stumble over.
  const after = { text: 'Line\u2028separator, "quote", \\ backslash,\nnew line, é', amount: 12.5 };
  const { text, values } = sql`WITH ${auditParts(at, keys, { action: 'test', target: 'one', after })} SELECT 1`;
  await database.query(text, [...values]);
}

/** Events of a month, one a second from its beginning, and their ids. */
export async function addEvents(database: Queryable, from: Date, count: number, mode = 'test'): Promise<string[]> {
  const ids = Array.from({ length: count }, (_, n) => newOrderedId('evt_', new Date(from.getTime() + n * 1000), n));
  await database.query(
    `INSERT INTO events (id, type, mode, "partnerId", "platformAccountId", "objectId", sequence, "requestId", data, "createdAt")
     SELECT id, 'customer/created', $2, 'par_1', 'acct_1', 'cus_' || id, 1, 'req_1',
       '{"object":{"text":"Line\u2028separator","amount":1234567890123456789}}', $3::timestamptz + (n - 1) * interval '1 second'
     FROM unnest($1::text[]) WITH ORDINALITY AS t(id, n)`,
    [ids, mode, from],
  );
  return ids;
}

/** Archives as the command does, at a given time. */
export function archiveAt(
  now: Date,
  options: Pick<ArchiveOptions, 'ownerUrl' | 'dir'> & Partial<ArchiveOptions>,
  keys: AuditKeys,
): ReturnType<typeof archiveMonths> {
  return archiveMonths({
    keepMonths: 1,
    now,
    record: ({ name, rows, sha256 }) =>
      auditParts(now, keys, { action: 'archiveRows', target: name, after: { rows, sha256 } }),
    ...options,
  });
}
