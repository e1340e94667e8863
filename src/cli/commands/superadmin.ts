import { openEmbeddedIdp } from '../../adapters/embedded-idp/embedded-idp.ts';
import { createMailer } from '../../adapters/mail/mailer.ts';
import { directUrlOf } from '../../database/pool.ts';
import { makeSuperadminAt, type NewSuperadmin } from '../../iam/identity/make-superadmin.ts';
import { systemClock } from '../../lib/clock.ts';
import { createLog } from '../../observability/log.ts';
import { openConfig } from '../../operating/open-config.ts';
import { loadClerk } from '../../operating/open-identity-provider.ts';
import { prepareDatabase } from '../../operating/prepare-database.ts';
import type { ClerkIdentityConfig, Config, EmbeddedIdentityConfig } from '../../settings/config.ts';
import { platformName } from '../../theme/brand.ts';
import { mailOf } from '../../theme/letter.ts';
import { wordsIn } from '../../theme/words.ts';
import { clockOfDatabase, databaseOf } from './database.ts';

export async function run(email: string): Promise<void> {
  const config = await openConfig(process.env, { isCommand: true });
  const made =
    config.identity.kind === 'clerk'
      ? await makeAtClerk(email, config, config.identity)
      : await makeAtEmbedded(email, config, config.identity);
  if (made.kind === 'promoted') return print(`${email} has an account and is now a superadmin.`);
  const { acceptUrl = '' } = made.invitation;
  const mailer = createMailer(config, systemClock);
  if (mailer.kind === 'kept')
    return print(`Open this link within seven days to become a superadmin; it works once:\n${acceptUrl}`);
  const words = wordsIn('en');
  await mailer.send(
    mailOf(words, config.publicUrl, {
      to: email,
      subject: words.text('mail.superadmin'),
      lead: words.text('accept.byPlatform', { platform: platformName }),
      action: { label: words.text('accept.title'), url: acceptUrl },
      notes: [words.text('mail.invite.note')],
      brand: null,
    }),
  );
  print(`The invitation was sent to ${email}.`);
}

async function makeAtEmbedded(
  email: string,
  config: Config,
  { secret }: EmbeddedIdentityConfig,
): Promise<NewSuperadmin> {
  const { publicUrl, allowedOrigins } = config;
  const log = createLog({ level: 'error', destination: process.stderr });
  const server = await databaseOf(config, log);
  try {
    await prepareDatabase(config, server, log);
    const idp = await openEmbeddedIdp({
      databaseUrl: server.url,
      directUrl: directUrlOf(config),
      publicUrl,
      allowedOrigins,
      secret,
      log,
      clock: await clockOfDatabase(server, log),
      deliver: null,
    });
    try {
      return await makeSuperadminAt(idp, email, `${publicUrl}/console/`);
    } finally {
      await idp.close();
    }
  } finally {
    await server.stop();
  }
}

/** The platform receives the change by a webhook of Clerk. */
async function makeAtClerk(email: string, config: Config, identity: ClerkIdentityConfig): Promise<NewSuperadmin> {
  const openClerkIdp = await loadClerk();
  return makeSuperadminAt(
    openClerkIdp({ ...identity, publicUrl: config.publicUrl }),
    email,
    config.invitationRedirectUrl,
  );
}

function print(sentence: string): void {
  process.stdout.write(`${sentence}\n`);
}
