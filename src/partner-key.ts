import { parseArgs } from 'node:util';
import { ConfigError, loadConfig } from './kit/config.ts';
import { DomainError } from './kit/errors.ts';
import { modes } from './kit/mode.ts';
import { UsageError } from './kit/usage-error.ts';
import type { AskedKey } from './print-partner-key.ts';

const help = `Prints a new partner key. It is shown this once; only a hash of it is kept.

  npm run partner-key -- <slug> --mode test|live [--label "…"] [--create "Partner's name"]

  <slug>     the partner, such as demo-partner
  --mode     test moves no real money; live does
  --label    your own name for the key, at most 100 characters
  --create   makes the partner when there is none with this slug yet
  --help     this text

It works on the database the platform uses: the one DATABASE_URL names, or the platform's own,
whether the platform is running or not. The key goes to standard output, all other words to standard error.
`;

try {
  const asked = readArguments(process.argv.slice(2));
  if (asked === 'help') process.stdout.write(help);
  else {
    // The platform's parts take a second to load: a command line that says nothing, or the wrong thing, is answered without them.
    const { printPartnerKey } = await import('./print-partner-key.ts');
    await printPartnerKey(loadConfig(), asked);
  }
} catch (error) {
  const expected = error instanceof UsageError || error instanceof ConfigError || error instanceof DomainError;
  process.stderr.write(
    `${expected ? error.message : error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
  );
  if (error instanceof UsageError) process.stderr.write('\n`npm run partner-key -- --help` tells more.\n');
  process.exitCode = 1;
}

function readArguments(given: string[]): AskedKey | 'help' {
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
  return { slug, mode, label: values.label ?? 'Made on the command line', create: values.create };
}

function parsed<Result>(parse: () => Result): Result {
  try {
    return parse();
  } catch (error) {
    throw new UsageError((error as Error).message); // parseArgs throws nothing else
  }
}
