import { databaseOf } from './fill-database.ts';
import { makeSuperadminAt, type NewSuperadmin } from './identity/make-superadmin.ts';
import { makeSuperadmin } from './idp/make-superadmin.ts';
import { systemClock } from './kit/clock.ts';
import {
  type ClerkIdentityConfig,
  type Config,
  ConfigError,
  type EmbeddedIdentityConfig,
  loadConfig,
} from './kit/config.ts';
import { createLog } from './kit/log.ts';
import { createMailer } from './mail/create-mailer.ts';
import { IdpError } from './ports/identity-provider.ts';

// npm run superadmin -- you@example.com: the first person who may do everything, and any later one. Works while the platform runs
// and while it does not.
const email = process.argv[2]?.trim() ?? '';

if (!/^[^@\s]+@[^@\s]+\.[^@\s]+$/.test(email)) {
  process.stderr.write('Say who: npm run superadmin -- you@example.com\n');
  process.exitCode = 1;
} else {
  try {
    await run(loadConfig());
  } catch (error) {
    const expected = error instanceof ConfigError || error instanceof IdpError;
    process.stderr.write(
      `${expected ? error.message : error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
    );
    process.exitCode = 1;
  }
}

async function run(config: Config): Promise<void> {
  const made =
    config.identity.kind === 'clerk'
      ? await invitedAtClerk(config, config.identity)
      : await invitedHere(config, config.identity);
  if (made.kind === 'promoted') return say(`${email} has an account and is a superadmin from now on.`);
  const { acceptUrl = '' } = made.invitation;
  const mailer = createMailer(config, systemClock);
  if (mailer.kind === 'kept')
    return say(`Open this link within seven days to become a superadmin; it works once:\n${acceptUrl}`);
  const text = `You are invited to the Partner Payments Platform as a superadmin. The link works once and for seven days:\n\n${acceptUrl}\n`;
  await mailer.send({
    to: email,
    subject: 'Your invitation as a superadmin',
    text,
    html: `<p>You are invited to the Partner Payments Platform as a superadmin. The link works once and for seven days.</p><p><a href="${acceptUrl}">Accept the invitation</a></p>`,
  });
  say(`The invitation went to ${email}.`);
}

async function invitedHere(config: Config, { secret }: EmbeddedIdentityConfig): Promise<NewSuperadmin> {
  const { publicUrl, allowedOrigins } = config;
  const log = createLog({ level: 'error', destination: process.stderr });
  const server = await databaseOf(config, log);
  try {
    return await makeSuperadmin(server.url, { publicUrl, allowedOrigins, secret, log }, email);
  } finally {
    await server.stop();
  }
}

/** The platform hears of it by Clerk's message. */
async function invitedAtClerk(config: Config, identity: ClerkIdentityConfig): Promise<NewSuperadmin> {
  const { openClerkIdp } = await import('./clerk/clerk-idp.ts');
  return makeSuperadminAt(openClerkIdp(identity), email, config.invitationRedirectUrl);
}

function say(sentence: string): void {
  process.stdout.write(`${sentence}\n`);
}
