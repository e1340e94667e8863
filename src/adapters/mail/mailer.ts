import { randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../lib/clock.ts';
import type { Mailer, SavedMail } from '../../ports/mailer.ts';
import type { Config } from '../../settings/config.ts';
import { writeWhole } from '../../settings/whole-file.ts';

/** Stores each mail as a file instead of sending it: for development, tests, and servers without SMTP. */
export function createFileMailer(dir: string, clock: Clock): Mailer {
  return {
    kind: 'kept',
    async send(mail) {
      await mkdir(dir, { recursive: true });
      const at = clock.now().toISOString();
      const file = join(dir, `${at.replace(/[:.]/g, '-')}-${randomBytes(4).toString('hex')}.json`);
      // Readable by its owner only, since a link in the mail gives access to its holder.
      writeWhole(file, `${JSON.stringify({ ...mail, at } satisfies SavedMail, null, 2)}\n`);
    },
  };
}

/** The newest mails, newest first. */
export async function readSavedMails(dir: string, count = 50): Promise<SavedMail[]> {
  const names = await readdir(dir).catch(() => []);
  const newest = names
    .filter((name) => name.endsWith('.json'))
    .sort()
    .toReversed()
    .slice(0, count);
  // the mailer above wrote the file
  return Promise.all(newest.map(async (name) => JSON.parse(await readFile(join(dir, name), 'utf8')) as SavedMail));
}

const timeoutMs = 10_000;

/** Sends mail by SMTP. A remote connection must be encrypted: a link in a mail is equivalent to a password. */
export function createSmtpMailer(url: string, from: string): Mailer {
  const { protocol, hostname } = new URL(url);
  const isLocal = ['localhost', '127.0.0.1', '[::1]'].includes(hostname);
  const open = async () => {
    // Loaded with the first mail, since few processes send one soon after their start.
    const { createTransport } = await import('nodemailer');
    return createTransport({
      url,
      connectionTimeout: timeoutMs,
      greetingTimeout: timeoutMs,
      socketTimeout: timeoutMs,
      requireTLS: protocol === 'smtp:' && !isLocal,
      disableFileAccess: true,
      disableUrlAccess: true,
    });
  };
  let transport: ReturnType<typeof open> | undefined;
  return {
    kind: 'smtp',
    async send({ to, subject, text, html }) {
      await (await (transport ??= open())).sendMail({ from, to, subject, text, html });
    },
  };
}

/** The configured mailer. */
export function createMailer({ mail }: Pick<Config, 'mail'>, clock: Clock): Mailer {
  return mail.kind === 'smtp' ? createSmtpMailer(mail.url, mail.from) : createFileMailer(mail.dir, clock);
}
