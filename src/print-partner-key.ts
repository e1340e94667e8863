import { databaseOf, migrate } from './fill-database.ts';
import { systemClock } from './kit/clock.ts';
import type { Config } from './kit/config.ts';
import { randomBase62 } from './kit/ids.ts';
import { createLog } from './kit/log.ts';
import type { Mode } from './kit/mode.ts';
import { UsageError } from './kit/usage-error.ts';
import type { Writer } from './kit/write.ts';
import { openEnv } from './open-env.ts';
import { findPartner, provisionPartner, provisionPartnerKey } from './partners/provision.ts';

/** What the command line asked for. */
export interface AskedKey {
  slug: string;
  mode: Mode;
  label: string;
  create: string | undefined;
}

/** Makes a key and prints it, and its partner before it when that is asked for. */
export async function printPartnerKey(config: Config, { slug, mode, label, create }: AskedKey): Promise<void> {
  // Only what must be seen: the key is what this command prints.
  const log = createLog({ level: 'error', destination: process.stderr });
  const server = await databaseOf(config, log);
  try {
    await migrate(server.url, log);
    const { env, close } = await openEnv(config, server.url, { clock: systemClock, log });
    try {
      const writer: Writer = {
        env,
        actor: { kind: 'operator-cli', id: process.env['USER'] ?? 'operator' },
        requestId: `cli_${randomBase62(16)}`,
        ip: null,
        idempotency: null,
        replayed: false,
      };
      if (!(await findPartner(writer, slug))) {
        if (create === undefined)
          throw new UsageError(
            `There is no partner ${slug}. ${await knownPartners(writer)} With --create "Its name" it is made.`,
          );
        const partner = await provisionPartner(writer, { slug, name: create });
        process.stderr.write(`Made the partner ${partner.name} (${partner.slug}, ${partner.id}).\n`);
      }
      const key = await provisionPartnerKey(writer, slug, { mode, label });
      process.stderr.write(
        `A ${mode} partner key of ${slug}, ${key.id}. It is shown this once; keep it where secrets are kept.\n`,
      );
      process.stdout.write(`${key.secret}\n`);
    } finally {
      await close();
    }
  } finally {
    await server.stop();
  }
}

async function knownPartners({ env }: Writer): Promise<string> {
  const partners = await env.prisma.partner.findMany({
    select: { slug: true },
    orderBy: { createdAt: 'asc' },
    take: 50,
  });
  return partners.length === 0
    ? 'There are no partners yet.'
    : `There are: ${partners.map(({ slug }) => slug).join(', ')}.`;
}
