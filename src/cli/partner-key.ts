import { parseArgs } from 'node:util';
import { modes } from '../lib/ids.ts';
import { openConfig } from '../operating/open-config.ts';
import { readArguments, runCommand, UsageError } from './command.ts';
import type { KeyRequest } from './print-partner-key.ts';

const help = `Creates a partner key and prints it. It is shown only once; only a hash of it is stored.

  npm run partner-key -- <slug> --mode test|live [--label "…"] [--create "Partner's name"]

  <slug>     the partner, such as demo-partner
  --mode     the mode of the key: test, or live for real payments
  --label    a name for the key, at most 100 characters
  --create   creates the partner if none has this slug
  --help     this text

It uses the database of the platform: the one DATABASE_URL names, or the embedded one. The platform
need not be running. The key is written to standard output, all other messages to standard error.
`;

const usage = '`npm run partner-key -- --help` shows the usage.';

await runCommand(async () => {
  const asked = requestOf(process.argv.slice(2));
  if (asked === 'help') process.stdout.write(help);
  else {
    // Loading the platform takes a second, which is not needed to report a wrong command line.
    const { printPartnerKey } = await import('./print-partner-key.ts');
    await printPartnerKey(await openConfig(process.env, { isCommand: true }), asked);
  }
  return 0;
});

function requestOf(given: string[]): KeyRequest | 'help' {
  const options = {
    mode: { type: 'string' },
    label: { type: 'string' },
    create: { type: 'string' },
    help: { type: 'boolean', short: 'h' },
  } as const;
  const { values, positionals } = readArguments(
    () => parseArgs({ args: given, options, allowPositionals: true }),
    usage,
  );
  if (values.help) return 'help';
  const [slug, ...more] = positionals;
  if (slug === undefined || more.length > 0)
    throw new UsageError(
      'Name one partner by its slug, such as: npm run partner-key -- demo-partner --mode test',
      usage,
    );
  const mode = modes.find((known) => known === values.mode);
  if (mode === undefined)
    throw new UsageError(
      values.mode === undefined
        ? 'Name the mode of the key: --mode test or --mode live.'
        : `--mode is ${JSON.stringify(values.mode)}; it must be test or live.`,
      usage,
    );
  return { slug, mode, label: values.label ?? 'Created on the command line', create: values.create };
}
