import { hostname, userInfo } from 'node:os';
import { openDatabase } from '../../database/database.ts';
import type { Queryable } from '../../database/sql.ts';
import { type Anchor, readAnchors } from '../../iam/audit/anchors.ts';
import { type AuditVerdict, storeVerification, verifyAudit } from '../../iam/audit/verify-audit.ts';
import { type AuditKeys, openAuditKeys } from '../../keys/audit-keys.ts';
import { assertKeys, auditSettings } from '../../keys/checks.ts';
import { systemClock } from '../../lib/clock.ts';
import { createLog } from '../../observability/log.ts';
import { writeSentence } from '../../observability/sentences.ts';
import { openConfig } from '../../operating/open-config.ts';
import type { Config } from '../../settings/config.ts';
import { assertDatabaseExists, databaseOf } from './database.ts';

export async function run({ anchor }: { anchor?: string }): Promise<number> {
  const config = await openConfig(process.env, { isCommand: true });
  assertDatabaseExists(config);
  const keys = openAuditKeys(config.auditKeys);
  const anchors = anchor === undefined ? [] : await readAnchors(anchor, keys);
  const server = await databaseOf(config, createLog({ level: 'error', destination: process.stderr }));
  try {
    return await report(config, server.url, keys, anchors);
  } finally {
    await server.stop();
  }
}

function wholeText({ rows, head }: Extract<AuditVerdict, { ok: true }>): string {
  if (rows === 0) return 'The audit log is empty.\n';
  return `The audit log is verified: ${rows} rows. Head: ${head}.\n`;
}

async function report(config: Config, url: string, keys: AuditKeys, anchors: readonly Anchor[]): Promise<number> {
  const { pool, close } = await openDatabase({
    url,
    poolSize: 1,
    log: createLog({ level: 'error' }),
    applicationName: 'audit-verify',
  });
  try {
    // With another key every row would seem altered. A new first key hashes nothing here.
    await assertKeys(config, pool, { purpose: 'add', only: auditSettings });
    const verdict = await verifyAudit(pool, keys, anchors);
    if (verdict.ok) process.stdout.write(wholeText(verdict));
    else
      writeSentence(
        'error',
        `The audit log is broken at row ${verdict.sequence}${verdict.id === null ? '' : ` (${verdict.id})`}: ` +
          `${verdict.problem}.`,
      );
    await store(pool, anchors.length, verdict);
    return verdict.ok ? 0 : 1;
  } finally {
    await close();
  }
}

/** A database that is read-only, such as a replica, is verified all the same. */
async function store(database: Queryable, anchors: number, verdict: AuditVerdict): Promise<void> {
  try {
    const by = `${userInfo().username}@${hostname()}`;
    await storeVerification(database, { at: systemClock.now(), by, anchors }, verdict);
  } catch (error) {
    writeSentence('error', `The result could not be stored: ${error instanceof Error ? error.message : String(error)}`);
  }
}
