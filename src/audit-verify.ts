import { verifyAudit } from './audit/verify.ts';
import { databaseOf } from './fill-database.ts';
import { ConfigError, loadConfig } from './kit/config.ts';
import { openDatabase } from './kit/database.ts';
import { createLog } from './kit/log.ts';

// npm run audit:verify: walks the audit log's chain and names the first row that does not fit. Works while the platform runs and
// while it does not.
try {
  const server = await databaseOf(loadConfig(), createLog({ level: 'error', destination: process.stderr }));
  try {
    process.exitCode = await report(server.url);
  } finally {
    await server.stop();
  }
} catch (error) {
  process.stderr.write(
    `${error instanceof ConfigError ? error.message : error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
  );
  process.exitCode = 2;
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
      process.stdout.write(`The audit log is whole: ${verdict.rows} rows, each carrying the hash of the one before.\n`);
    else
      process.stderr.write(
        `The audit log is broken at row ${verdict.sequence}${verdict.id === null ? '' : ` (${verdict.id})`}: ${verdict.problem}.\n`,
      );
    return verdict.ok ? 0 : 1;
  } finally {
    await close();
  }
}
