import type { KeyPurpose } from '../../keys/checks.ts';
import { createLog } from '../../observability/log.ts';
import { openConfig } from '../../operating/open-config.ts';
import { prepareDatabase } from '../../operating/prepare-database.ts';
import { openServices, type Services } from '../../services.ts';
import { assertDatabaseExists, databaseOf } from './database.ts';

/**
 * Opens the database and the services of a command, and closes them after it. The platform need not be running.
 * `purpose`: the database is prepared as for a start.
 */
export async function withServices(
  run: (services: Services) => Promise<number>,
  purpose?: KeyPurpose,
): Promise<number> {
  const config = await openConfig(process.env, { isCommand: true });
  assertDatabaseExists(config);
  const log = createLog({ level: 'warn', destination: process.stderr });
  const { stop, ...urls } = await databaseOf(config, log);
  try {
    if (purpose !== undefined) await prepareDatabase(config, urls, log, purpose);
    const { services, close } = await openServices(config, urls.url, { log });
    try {
      return await run(services);
    } finally {
      await close();
    }
  } finally {
    await stop();
  }
}
