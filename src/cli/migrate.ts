import { createLog } from '../observability/log.ts';
import { writeSentence } from '../observability/sentences.ts';
import { openConfig } from '../operating/open-config.ts';
import { prepareDatabase } from '../operating/prepare-database.ts';
import { databaseOf, runCommand } from './command.ts';

const help = `Brings the database to this version.

  npm run migrate

It applies the missing migrations as the role of MIGRATION_DATABASE_URL, and gives the role of DATABASE_URL the rights of
a server; it makes that role if it does not exist. Servers can run meanwhile.
`;

await runCommand({ help }, async () => {
  const config = await openConfig(process.env, { isCommand: true });
  const log = createLog({ level: 'info', destination: process.stderr });
  const server = await databaseOf(config, log);
  try {
    await prepareDatabase(config, server, log);
    writeSentence('info', 'The database is ready for servers of this version.');
    return 0;
  } finally {
    await server.stop();
  }
});
