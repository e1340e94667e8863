import { parseArgs } from 'node:util';
import { DomainError } from '../kit/errors.ts';
import { modes } from '../kit/mode.ts';
import { ConfigError } from '../runtime/config.ts';
import { loadConfig } from '../runtime/load-config.ts';
import type { KeyRequest } from './print-partner-key.ts';
import { UsageError } from './usage-error.ts';

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

try {
  const asked = readArguments(process.argv.slice(2));
  if (asked === 'help') process.stdout.write(help);
  else {
    // Loading the platform takes a second, which is not needed to report a wrong command line.
    const { printPartnerKey } = await import('./print-partner-key.ts');
    await printPartnerKey(loadConfig(process.env, { isCommand: true }), asked);
  }
} catch (error) {
  const expected = error instanceof UsageError || error instanceof ConfigError || error instanceof DomainError;
  process.stderr.write(
    `${expected ? error.message : error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
  );
  if (error instanceof UsageError) process.stderr.write('\n`npm run partner-key -- --help` shows the usage.\n');
  process.exitCode = 1;
}

function readArguments(given: string[]): KeyRequest | 'help' {
  const options = {
    mode: { type: 'string' },
    label: { type: 'string' },
    create: { type: 'string' },
    help: { type: 'boolean', short: 'h' },
  } as const;
  const { values, positionals } = parsed(() => parseArgs({ args: given, options, allowPositionals: true }));
  if (values.help) return 'help';
  const [slug, ...more] = positionals;
  if (slug === undefined || more.length > 0)
    throw new UsageError('Name one partner by its slug, such as: npm run partner-key -- demo-partner --mode test');
  const mode = modes.find((known) => known === values.mode);
  if (mode === undefined)
    throw new UsageError(
      values.mode === undefined
        ? 'Name the mode of the key: --mode test or --mode live.'
        : `--mode is ${JSON.stringify(values.mode)}; it must be test or live.`,
    );
  return { slug, mode, label: values.label ?? 'Created on the command line', create: values.create };
}

function parsed<Result>(parse: () => Result): Result {
  try {
    return parse();
  } catch (error) {
    throw new UsageError((error as Error).message); // parseArgs throws nothing else
  }
}
