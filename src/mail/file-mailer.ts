import { randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../kit/clock.ts';
import type { Mail, Mailer } from '../ports/mailer.ts';

export interface KeptMail extends Mail {
  at: string;
}

/** Keeps each mail as a file instead of sending it: for development, for tests, and for servers without SMTP. */
export function createFileMailer(dir: string, clock: Clock): Mailer {
  return {
    kind: 'kept',
    async send(mail) {
      await mkdir(dir, { recursive: true });
      const at = clock.now().toISOString();
      const file = join(dir, `${at.replace(/[:.]/g, '-')}-${randomBytes(4).toString('hex')}.json`);
      // A link in it works once and for whoever has it: its owner alone may read the file, and nobody half of it.
      await writeFile(`${file}.part`, `${JSON.stringify({ ...mail, at } satisfies KeptMail, null, 2)}\n`, {
        mode: 0o600,
      });
      await rename(`${file}.part`, file);
    },
  };
}

/** The newest mails, the newest first. */
export async function readKeptMails(dir: string, count = 50): Promise<KeptMail[]> {
  const names = await readdir(dir).catch(() => []);
  const newest = names
    .filter((name) => name.endsWith('.json'))
    .sort()
    .reverse()
    .slice(0, count);
  return Promise.all(newest.map(async (name) => JSON.parse(await readFile(join(dir, name), 'utf8')) as KeptMail)); // written above
}
