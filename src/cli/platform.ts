#!/usr/bin/env node
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { writeSentence } from '../observability/sentences.ts';
import { addDevelopmentCommands } from './development.ts';

/** A command's file. It is loaded when the command runs: the platform takes a second to load. */
type Load = () => Promise<{ run: (...args: never[]) => Promise<unknown> }>;

/** Runs a command with its arguments and options. If it returns a number, this is the exit status. */
function running(load: Load): (...args: unknown[]) => Promise<void> {
  return async (...args) => {
    const { run } = await load();
    const status = await run(...(args.slice(0, -1) as never[]));
    process.exitCode = typeof status === 'number' ? status : 0;
  };
}

/** The sentence of an error of the command line. */
function sentenceOf(text: string): string {
  const [, problem = text, nearest] = /^error: (.*?)\.?(?:\n\(Did you mean (.*)\?\))?$/s.exec(text.trim()) ?? [];
  const isUnknown = problem.startsWith('unknown command');
  const hint = nearest ? ` Did you mean ${nearest}?` : isUnknown ? ' `platform --help` lists the commands.' : '';
  return `${problem.charAt(0).toUpperCase()}${problem.slice(1)}.${hint}`;
}

const program = new Command('platform')
  .description('Commands for operators and developers of the platform. `npm start` starts the server.')
  .usage('<command> [arguments] [options]')
  .helpOption('-h, --help', 'show the help of the program or of a command')
  .helpCommand(false)
  .exitOverride()
  .configureOutput({ outputError: (text) => writeSentence('error', sentenceOf(text)) });

program.commandsGroup('People and keys:');
program
  .command('superadmin')
  .summary('make a user a superadmin')
  .description('Makes a user a superadmin, and invites a person who has no account. The server may run.')
  .argument('<email>', 'email address of the user', emailOf)
  .action(running(() => import('./commands/superadmin.ts')));
program
  .command('partner-key')
  .summary('create a partner key')
  .description(
    'Creates a partner key and prints it to standard output; other messages go to standard error. The key is shown only ' +
      'once; only a hash of it is stored. The server may run.',
  )
  .argument('<slug>', 'slug of the partner, such as demo-partner')
  .addOption(
    new Option('--mode <mode>', 'mode of the key; live is for real payments')
      .choices(['test', 'live'])
      .makeOptionMandatory(),
  )
  .option('--label <text>', 'name of the key, at most 100 characters', 'Created on the command line')
  .option('--create <name>', 'create the partner with this name if none has the slug')
  .action(running(() => import('./commands/partner-key.ts')));

program.commandsGroup('Database:');
program
  .command('migrate')
  .summary('apply the missing migrations')
  .description(
    'Applies the missing migrations as the role of MIGRATION_DATABASE_URL, and gives the role of DATABASE_URL the rights ' +
      'of a server; it creates that role if it does not exist. Servers may run.',
  )
  .action(running(() => import('./commands/migrate.ts')));
program
  .command('backup')
  .summary('write a backup')
  .description(
    'Writes a backup of the database to a new folder. The server may run. Exits with 1 if the keys of the settings are ' +
      'not those of the database: the backup is written, and needs the right ones.',
  )
  .argument('<folder>', 'folder to write; it must not exist')
  .action(running(() => import('./commands/backup.ts')));
program
  .command('restore')
  .summary('restore a backup')
  .description('Restores a backup into a new, empty database, and migrates it to this version. No server may run.')
  .argument('<folder>', 'folder of the backup')
  .option('--check', 'only compare the seal, the keys and the version of the backup with those here', false)
  .option('--without-keys', 'restore although keys are missing: what they encrypt cannot be read', false)
  .option('--without-seal', 'restore although the backup was changed, or written with another FINGERPRINT_KEY', false)
  .action(running(() => import('./commands/restore.ts')));
program
  .command('move-cards')
  .summary('move the cards to the vault database')
  .description(
    'Moves the cards from the database of DATABASE_URL to that of VAULT_DATABASE_URL. The servers must be stopped. It ' +
      'can be interrupted at any time and run again.',
  )
  .action(running(() => import('./commands/move-cards.ts')));

program.commandsGroup('Secrets:');
program
  .command('secrets')
  .summary('create the secrets of a deployment')
  .description(
    'Creates the secrets of a production deployment, one file each, for the settings that end in _FILE. An existing file ' +
      'is not changed. Back the directory up apart from the database: without vault_keys and fingerprint_key the stored ' +
      'cards are lost. With VAULT_KMS_KEY_ID the keys are wrapped by that key of AWS KMS.',
  )
  .argument('<directory>', 'directory of the files')
  .option('--database-host <host>', 'host of the database', 'db')
  .option('--database <name>', 'name of the database', 'platform')
  .option('--vault-host <host>', 'also create the passwords and URLs of the database platform_vault on this host')
  .action(running(() => import('./commands/secrets.ts')));
const keys = program
  .command('keys')
  .helpCommand(false)
  .summary('check, add, rotate, retire or wrap keys')
  .description(
    'Manages the keys of the settings. docs/self-hosting/keys.md has the order of a rotation. Servers may run.',
  );
const keysFile = () => import('./commands/keys.ts');
keys
  .command('check')
  .description(
    'Shows the keys that the database knows. Exits with 1 while something stored needs another key than the first one of ' +
      'VAULT_KEYS.',
  )
  .action(running(async () => ({ run: (await keysFile()).check })));
keys
  .command('add')
  .description(
    'Records the keys of the settings, so that servers may start with a new first key, or with a replaced one.',
  )
  .action(running(async () => ({ run: (await keysFile()).add })));
keys
  .command('rotate')
  .description(
    'Encrypts all data keys with the first key of VAULT_KEYS. From then on the other keys of both rings only decrypt or ' +
      'verify.',
  )
  .action(running(async () => ({ run: (await keysFile()).rotate })));
keys
  .command('retire')
  .description('Removes a key that the settings no longer have from the keys that the database requires.')
  .argument('<key>', 'a setting, or a setting and the ID of a key, such as VAULT_KEYS:2026a')
  .option('--lost', 'give up what only that key opens', false)
  .action(running(async () => ({ run: (await keysFile()).retire })));
keys
  .command('wrap')
  .description(
    'Writes the keys to new files of a directory, wrapped by a key of AWS KMS. It changes no existing file and nothing ' +
      'in the database.',
  )
  .argument('<directory>', 'directory of the files')
  .option('--kms-key <key>', 'key of KMS, if it is not VAULT_KMS_KEY_ID')
  .option('--add <id>', 'append a new key to VAULT_KEYS')
  .option('--first <id>', 'move a key of VAULT_KEYS to the front: it encrypts what is new')
  .option('--drop <id>', 'remove a key of VAULT_KEYS that nothing needs any more')
  .option('--add-audit-key <id>', 'put a new key in front of AUDIT_KEYS')
  .action(running(async () => ({ run: (await keysFile()).wrap })));

program.commandsGroup('Verification:');
const verify = program
  .command('verify')
  .helpCommand(false)
  .summary('verify the ledger, the audit log or the metrics')
  .description('Verifies stored records. The server may run. Exits with 1 if there are differences.');
verify
  .command('ledger')
  .description(
    'Compares the ledger with the payments and the records of the test processor. The result is stored for operators.',
  )
  .action(running(() => import('./commands/verify-ledger.ts')));
verify
  .command('audit')
  .description(
    'Verifies the audit log with the keys of AUDIT_KEYS, and reports the first row that does not match. The result is ' +
      'stored for operators.',
  )
  .option('--anchor <anchor>', 'anchor (<sequence>:<hash>), or a file of anchors: finds rows that were cut off')
  .action(running(() => import('./commands/verify-audit.ts')));
verify
  .command('metrics')
  .description('Counts the metrics of operators again from payments, refunds and disputes.')
  .action(running(() => import('./commands/verify-metrics.ts')));

program.commandsGroup('Integration:');
program
  .command('listen')
  .summary('receive webhooks on this machine')
  .description(
    'Receives webhooks on this machine and prints their events. Without --secret an endpoint is created at the running ' +
      'demo platform, and deleted when the command ends; the platform must have been started with ' +
      'WEBHOOK_ALLOW_PRIVATE=true.',
  )
  .option('--port <port>', 'port to listen on', portOf, 4400)
  .option('--secret <secret>', 'signing secret of an existing endpoint')
  .option('--ordered', 'deliver the events of one object one after the other', false)
  .action(running(() => import('./commands/listen.ts')));

addDevelopmentCommands(program);

function emailOf(text: string): string {
  if (/^[^@\s]+@[^@\s]+\.[^@\s]+$/.test(text.trim())) return text.trim();
  throw new InvalidArgumentError('It must be an email address.');
}

function portOf(text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) >= 1 && Number(text) <= 65_535) return Number(text);
  throw new InvalidArgumentError('It must be a whole number from 1 to 65535.');
}

/** 0, or the status of the command; 2 for a wrong command line, and 1 for any other failure. */
try {
  await program.parseAsync();
} catch (error) {
  // Help and the errors of the command line are written already.
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : 2;
  else {
    const { describeFailure } = await import('../runtime/failures.ts');
    writeSentence('error', describeFailure(error));
    process.exitCode = 1;
  }
}
