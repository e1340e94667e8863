import { createLog } from '../../observability/log.ts';
import { writeSentence } from '../../observability/sentences.ts';
import { openConfig } from '../../operating/open-config.ts';
import { prepareDatabase } from '../../operating/prepare-database.ts';
import { databaseOf } from './database.ts';

export async function run(): Promise<void> {
  const config = await openConfig(process.env, { isCommand: true });
  const log = createLog({ level: 'info', destination: process.stderr });
  const server = await databaseOf(config, log);
  try {
    await prepareDatabase(config, server, log);
    writeSentence('info', 'The database is ready for servers of this version.');
  } finally {
    await server.stop();
  }
}
