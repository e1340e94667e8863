import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { verifyLedger } from '../domains/ledger/verify-ledger.ts';
import { systemClock } from '../kit/clock.ts';
import { ConfigError } from '../runtime/config.ts';
import { loadConfig } from '../runtime/load-config.ts';
import { createLog } from '../runtime/log.ts';
import { openServices } from '../services.ts';
import { databaseOf } from './command-database.ts';

// npm run ledger:verify: compares the ledger with the payments and the processor's records. Exits with 1 if they
// differ. The platform need not be running.
const shownMax = 1_000;
const config = loadConfig(process.env, { isCommand: true });
const log = createLog({ level: 'warn' });
// A database created by this command would be empty, and the first start would not create the demo tenants in it.
if (config.database.kind === 'embedded' && !existsSync(join(config.database.dir, 'PG_VERSION')))
  throw new ConfigError('There is no database yet: npm start creates one.');
const { url, stop } = await databaseOf(config, log);
const { services, close } = await openServices(config, url, { clock: systemClock, log });
try {
  const { differences, ...counts } = await verifyLedger(services);
  for (const { about, message } of differences.slice(0, shownMax)) console.log(`${about}: ${message}`);
  console.log(
    `${counts.postings} postings, ${counts.payments} payments, ${counts.charges} charges in the test ` +
      `processor's records (${counts.unsettled} with an unknown outcome): ` +
      `${differences.length === 0 ? 'no differences' : `${differences.length} differences`}.`,
  );
  if (differences.length > 0) process.exitCode = 1;
} finally {
  await close();
  await stop();
}
