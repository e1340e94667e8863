import { parseArgs } from 'node:util';
import { fullNameOf, type KeyIntent, readChecks } from '../keys/checks.ts';
import { createLog } from '../observability/log.ts';
import { openConfig } from '../operating/open-config.ts';
import { prepareDatabase } from '../operating/prepare-database.ts';
import { asOwner, ownerOf } from '../operating/prepare-vault.ts';
import { assertDatabaseExists, databaseOf, readArguments, runCommand, UsageError } from './command.ts';

const help = `Makes the keys of the settings known to the database, so that servers may start with them.

  npm run keys:announce -- [--give-up <setting>[:<id>]]...

  --give-up  a key that the database knows and that the settings have no more, or another one
             instead: IDP_SECRET, FINGERPRINT_KEY, VAULT_KEYS:2026a. What only that key opens is lost

Without it no key is lost: a new first key of VAULT_KEYS or AUDIT_KEYS is announced, or one of
before that is to be first again. Servers can run meanwhile; they go on with the keys that they have.
`;

/** The description of each state of a key. */
const meanings = {
  announced: 'announced; servers may start with it',
  first: 'what is new is encrypted or hashed with it',
  former: 'what is older may need it',
  recalled: 'what is older may need it; servers may start with it again',
  lost: 'given up',
} as const;

await runCommand(async () => {
  const options = { 'give-up': { type: 'string', multiple: true, default: [] as string[] } } as const;
  const { values } = readArguments(() => parseArgs({ options }), help);
  const config = await openConfig(process.env, { isCommand: true });
  assertDatabaseExists(config);
  const log = createLog({ level: 'warn', destination: process.stderr });
  const server = await databaseOf(config, log);
  try {
    const intent = { announces: true, uses: false, givesUp: values['give-up'] } satisfies KeyIntent;
    await prepareDatabase(config, server, log, intent);
    await asOwner(...ownerOf(server), async (owner) => {
      const checks = await readChecks(owner);
      const unknown = intent.givesUp.find((name) => !checks.some((one) => fullNameOf(one) === name));
      if (unknown !== undefined) throw new UsageError(`The database knows no key ${unknown}.`, help);
      for (const { setting, keyId, state } of checks)
        process.stdout.write(`${[setting, keyId].join(' ').trim()}: ${meanings[state]}.\n`);
    });
    return 0;
  } finally {
    await server.stop();
  }
});
