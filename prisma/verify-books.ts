import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../src/kit/clock.ts';
import { type Config, ConfigError, loadConfig } from '../src/kit/config.ts';
import { AlreadyRunning, startEmbeddedPostgres } from '../src/kit/embedded-postgres.ts';
import { createLog } from '../src/kit/log.ts';
import { verifyBooks } from '../src/ledger/operations.ts';
import { openEnv } from '../src/open-env.ts';

// npm run books:verify: proves the books of the configured database, beside a running server or without one. Ends with 1 when
// anything differs.
const shownMax = 1_000;
const config = loadConfig();
const { url, stop } = await databaseOf(config);
const { env, close } = await openEnv(config, url, { clock: systemClock, log: createLog({ level: 'warn' }) });
try {
  const { differences, ...counts } = await verifyBooks(env);
  for (const { about, message } of differences.slice(0, shownMax)) console.log(`${about}: ${message}`);
  console.log(
    `${counts.postings} postings, ${counts.payments} payments, ${counts.charges} charges in the test processor's books (${counts.unsettled} not settled yet): ${differences.length === 0 ? 'all of it agrees' : `${differences.length} differences`}.`,
  );
  if (differences.length > 0) process.exitCode = 1;
} finally {
  await close();
  await stop();
}

async function databaseOf({ database }: Config): Promise<{ url: string; stop(): Promise<void> }> {
  if (database.kind === 'server') return { url: database.url, stop: async () => {} };
  // Making one here would leave the first start a database without its demo.
  if (!existsSync(join(database.dir, 'PG_VERSION')))
    throw new ConfigError('There is no database yet: npm start makes one.');
  try {
    return await startEmbeddedPostgres(database);
  } catch (error) {
    if (error instanceof AlreadyRunning) return { url: error.url, stop: async () => {} };
    throw error;
  }
}
