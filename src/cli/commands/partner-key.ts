import { assertModeServed } from '../../auth/modes.ts';
import { provisionPartner, provisionPartnerKey } from '../../iam/partners/provision-partner.ts';
import { findPartner } from '../../iam/partners/read-partners.ts';
import { type Mode, randomBase62 } from '../../lib/ids.ts';
import { createLog } from '../../observability/log.ts';
import { openConfig } from '../../operating/open-config.ts';
import { prepareDatabase } from '../../operating/prepare-database.ts';
import { openServices } from '../../services.ts';
import { type Config, ConfigError } from '../../settings/config.ts';
import type { Writer } from '../../unit-of-work/write.ts';
import { databaseOf } from './database.ts';

interface Options {
  mode: Mode;
  label: string;
  create?: string;
}

export async function run(slug: string, options: Options): Promise<void> {
  await printPartnerKey(await openConfig(process.env, { isCommand: true }), slug, options);
}

/** Creates a key and prints it. Creates the partner first if `create` is set. */
export async function printPartnerKey(config: Config, slug: string, { mode, label, create }: Options): Promise<void> {
  assertModeServed(config, mode);
  // The output of this command is the key, so only errors are logged.
  const log = createLog({ level: 'error', destination: process.stderr });
  const server = await databaseOf(config, log);
  try {
    await prepareDatabase(config, server, log);
    const { services, close } = await openServices(config, server.url, { log });
    try {
      const writer: Writer & { services: typeof services } = {
        services,
        actor: { kind: 'operator-cli', id: process.env['USER'] ?? 'operator' },
        requestId: `cli_${randomBase62(16)}`,
        ip: null,
        idempotency: null,
        answer: { replayed: false },
      };
      if (!(await findPartner(writer, slug))) {
        if (create === undefined)
          throw new ConfigError(
            `There is no partner ${slug}. ${await knownPartners(writer)} Create it with --create "Partner's name".`,
          );
        const partner = await provisionPartner(writer, { slug, name: create });
        process.stderr.write(`Created the partner ${partner.name} (${partner.slug}, ${partner.id}).\n`);
      }
      const key = await provisionPartnerKey(writer, slug, { mode, label });
      process.stderr.write(
        `A ${mode} partner key of ${slug}, ${key.id}. It is shown only once; store it as a secret.\n`,
      );
      process.stdout.write(`${key.secret}\n`);
    } finally {
      await close();
    }
  } finally {
    await server.stop();
  }
}

async function knownPartners({ services }: Writer): Promise<string> {
  const partners = await services.prisma.partner.findMany({
    select: { slug: true },
    orderBy: { createdAt: 'asc' },
    take: 50,
  });
  return partners.length === 0
    ? 'There are no partners yet.'
    : `There are: ${partners.map(({ slug }) => slug).join(', ')}.`;
}
