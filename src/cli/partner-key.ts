import { modes } from '../lib/ids.ts';
import { openConfig } from '../operating/open-config.ts';
import { runCommand, UsageError } from './command.ts';

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

const options = { mode: { type: 'string' }, label: { type: 'string' }, create: { type: 'string' } } as const;

await runCommand({ help, options, most: 1 }, async (values, [slug]) => {
  if (slug === undefined) throw new UsageError('Name one partner by its slug.');
  const mode = modes.find((known) => known === values.mode);
  if (mode === undefined)
    throw new UsageError(
      values.mode === undefined
        ? 'Name the mode of the key: --mode test or --mode live.'
        : `--mode is ${JSON.stringify(values.mode)}; it must be test or live.`,
    );
  // Loading the platform takes a second, which is not needed to report a wrong command line.
  const { printPartnerKey } = await import('./print-partner-key.ts');
  const label = values.label ?? 'Created on the command line';
  await printPartnerKey(await openConfig(process.env, { isCommand: true }), {
    slug,
    mode,
    label,
    create: values.create,
  });
  return 0;
});
