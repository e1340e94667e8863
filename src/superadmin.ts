import { makeSuperadmin } from './idp/make-superadmin.ts';
import { systemClock } from './kit/clock.ts';
import { type Config, ConfigError, loadConfig } from './kit/config.ts';
import { runningPostgres, startEmbeddedPostgres } from './kit/embedded-postgres.ts';
import { createLog } from './kit/log.ts';
import { createMailer } from './mail/create-mailer.ts';
import { IdpError } from './ports/identity-provider.ts';

// npm run superadmin -- you@example.com: the first person who may do everything, and any later one. Works while the platform runs
// and while it does not.
const email = process.argv[2]?.trim() ?? '';

if (!/^[^@\s]+@[^@\s]+\.[^@\s]+$/.test(email)) {
  console.error('Say who: npm run superadmin -- you@example.com');
  process.exitCode = 1;
} else {
  try {
    await run(loadConfig());
  } catch (error) {
    const expected = error instanceof ConfigError || error instanceof IdpError;
    console.error(expected ? error.message : error);
    process.exitCode = 1;
  }
}

async function run(config: Config): Promise<void> {
  const { database, identity, publicUrl, allowedOrigins } = config;
  const running = database.kind === 'server' ? database.url : await runningPostgres(database);
  const own = running === undefined && database.kind === 'embedded' ? await startEmbeddedPostgres(database) : undefined;
  try {
    const made = await makeSuperadmin(running ?? own?.url ?? '', { publicUrl, allowedOrigins, secret: identity.secret, log: createLog({ level: 'error' }) }, email);
    if (made.kind === 'promoted') return console.log(`${email} has an account and is a superadmin from now on.`);
    const { acceptUrl = '' } = made.invitation;
    const mailer = createMailer(config, systemClock);
    if (mailer.kind === 'kept') return console.log(`Open this link within seven days to become a superadmin; it works once:\n${acceptUrl}`);
    const text = `You are invited to the Partner Payments Platform as a superadmin. The link works once and for seven days:\n\n${acceptUrl}\n`;
    await mailer.send({ to: email, subject: 'Your invitation as a superadmin', text, html: `<p>You are invited to the Partner Payments Platform as a superadmin. The link works once and for seven days.</p><p><a href="${acceptUrl}">Accept the invitation</a></p>` });
    console.log(`The invitation went to ${email}.`);
  } finally {
    await own?.stop();
  }
}
