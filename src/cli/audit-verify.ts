import { openDatabase } from '../database/database.ts';
import { verifyAudit } from '../people/audit/verify-audit.ts';
import { ConfigError } from '../runtime/config.ts';
import { loadConfig } from '../runtime/load-config.ts';
import { createLog } from '../runtime/log.ts';
import { databaseOf } from './command-database.ts';

// npm run audit:verify: verifies the hash chain of the audit log and reports the first row that does not match.
// The platform need not be running.
try {
  const server = await databaseOf(
    loadConfig(process.env, { isCommand: true }),
    createLog({ level: 'error', destination: process.stderr }),
  );
  try {
    process.exitCode = await report(server.url);
  } finally {
    await server.stop();
  }
} catch (error) {
  process.stderr.write(`${textOf(error)}\n`);
  process.exitCode = 2;
}

function textOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error instanceof ConfigError ? error.message : (error.stack ?? error.message);
}

async function report(url: string): Promise<number> {
  const { pool, close } = await openDatabase({
    url,
    poolSize: 1,
    log: createLog({ level: 'error' }),
    applicationName: 'audit-verify',
  });
  try {
    const verdict = await verifyAudit(pool);
    if (verdict.ok)
      process.stdout.write(`The audit log is whole: ${verdict.rows} rows, each with the hash of the row before it.\n`);
    else
      process.stderr.write(
        `The audit log is broken at row ${verdict.sequence}${verdict.id === null ? '' : ` (${verdict.id})`}: ` +
          `${verdict.problem}.\n`,
      );
    return verdict.ok ? 0 : 1;
  } finally {
    await close();
  }
}
