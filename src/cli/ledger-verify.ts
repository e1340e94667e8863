import { verifyLedger } from '../domains/ledger/verify-ledger.ts';
import { systemClock } from '../kit/clock.ts';
import { openConfig } from '../open-config.ts';
import type { Config } from '../runtime/config.ts';
import { createLog, type Log } from '../runtime/log.ts';
import { openServices } from '../services.ts';
import { assertDatabaseExists, databaseOf } from './command-database.ts';
import { runCommand } from './run-command.ts';

// npm run ledger:verify: compares the ledger with the payments and the processor's records. Exits with 1 if they
// differ. The platform need not be running.
const shownMax = 1_000;

await runCommand(async () => {
  const config = await openConfig(process.env, { isCommand: true });
  assertDatabaseExists(config);
  const log = createLog({ level: 'warn', destination: process.stderr });
  const { url, stop } = await databaseOf(config, log);
  try {
    return await report(config, url, log);
  } finally {
    await stop();
  }
});

async function report(config: Config, url: string, log: Log): Promise<number> {
  const { services, close } = await openServices(config, url, { clock: systemClock, log });
  try {
    const { differences, ...counts } = await verifyLedger(services);
    for (const { about, message } of differences.slice(0, shownMax)) console.log(`${about}: ${message}`);
    console.log(
      `${counts.postings} postings, ${counts.payments} payments, ${counts.charges} charges in the test ` +
        `processor's records (${counts.unsettled} with an unknown outcome): ` +
        `${differences.length === 0 ? 'no differences' : `${differences.length} differences`}.`,
    );
    return differences.length > 0 ? 1 : 0;
  } finally {
    await close();
  }
}
