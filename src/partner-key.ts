import { parseArgs } from 'node:util';
import { systemClock } from './kit/clock.ts';
import { type Config, ConfigError, loadConfig } from './kit/config.ts';
import { DomainError } from './kit/errors.ts';
import { createLog } from './kit/log.ts';
import { randomBase62 } from './kit/ids.ts';
import { type Mode, modes } from './kit/mode.ts';
import type { Writer } from './kit/write.ts';
import { databaseOf, migrate } from './fill-database.ts';
import { openEnv } from './open-env.ts';
import { findPartner, provisionPartner, provisionPartnerKey } from './partners/provision.ts';

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

/** A wrong command line. Its message is for whoever typed it. */
class UsageError extends Error {}

interface Asked {
  slug: string;
  mode: Mode;
  label: string;
  create: string | undefined;
}

try {
  const asked = readArguments(process.argv.slice(2));
  if (asked === 'help') process.stdout.write(help);
  else await printKey(loadConfig(), asked);
} catch (error) {
  const expected = error instanceof UsageError || error instanceof ConfigError || error instanceof DomainError;
  process.stderr.write(`${expected ? error.message : error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  if (error instanceof UsageError) process.stderr.write('\n`npm run partner-key -- --help` tells more.\n');
  process.exitCode = 1;
}

function readArguments(given: string[]): Asked | 'help' {
  const options = { mode: { type: 'string' }, label: { type: 'string' }, create: { type: 'string' }, help: { type: 'boolean', short: 'h' } } as const;
  const { values, positionals } = parsed(() => parseArgs({ args: given, options, allowPositionals: true }));
  if (values.help) return 'help';
  const [slug, ...more] = positionals;
  if (slug === undefined || more.length > 0) throw new UsageError('Name one partner by its slug, such as: npm run partner-key -- demo-partner --mode test');
  const mode = modes.find((known) => known === values.mode);
  if (mode === undefined) throw new UsageError(values.mode === undefined ? 'Name the mode of the key: --mode test or --mode live.' : `--mode is ${JSON.stringify(values.mode)}; it must be test or live.`);
  return { slug, mode, label: values.label ?? 'Made on the command line', create: values.create };
}

function parsed<Result>(parse: () => Result): Result {
  try {
    return parse();
  } catch (error) {
    throw new UsageError((error as Error).message); // parseArgs throws nothing else
  }
}

async function printKey(config: Config, { slug, mode, label, create }: Asked): Promise<void> {
  // Only what must be seen: the key is what this command prints.
  const log = createLog({ level: 'error', destination: process.stderr });
  const server = await databaseOf(config, log);
  try {
    await migrate(server.url, log);
    const { env, close } = await openEnv(config, server.url, { clock: systemClock, log });
    try {
      const writer: Writer = { env, actor: { kind: 'operator-cli', id: process.env['USER'] ?? 'operator' }, requestId: `cli_${randomBase62(16)}`, ip: null, idempotency: null, replayed: false };
      if (!(await findPartner(writer, slug))) {
        if (create === undefined) throw new UsageError(`There is no partner ${slug}. ${await knownPartners(writer)} With --create "Its name" it is made.`);
        const partner = await provisionPartner(writer, { slug, name: create });
        process.stderr.write(`Made the partner ${partner.name} (${partner.slug}, ${partner.id}).\n`);
      }
      const key = await provisionPartnerKey(writer, slug, { mode, label });
      process.stderr.write(`A ${mode} partner key of ${slug}, ${key.id}. It is shown this once; keep it where secrets are kept.\n`);
      process.stdout.write(`${key.secret}\n`);
    } finally {
      await close();
    }
  } finally {
    await server.stop();
  }
}

async function knownPartners({ env }: Writer): Promise<string> {
  const partners = await env.prisma.partner.findMany({ select: { slug: true }, orderBy: { createdAt: 'asc' }, take: 50 });
  return partners.length === 0 ? 'There are no partners yet.' : `There are: ${partners.map(({ slug }) => slug).join(', ')}.`;
}
