import { randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../kit/clock.ts';
import type { Mailer, SavedMail } from '../../ports/mailer.ts';

/** Stores each mail as a file instead of sending it: for development, tests, and servers without SMTP. */
export function createFileMailer(dir: string, clock: Clock): Mailer {
  return {
    kind: 'kept',
    async send(mail) {
      await mkdir(dir, { recursive: true });
      const at = clock.now().toISOString();
      const file = join(dir, `${at.replace(/[:.]/g, '-')}-${randomBytes(4).toString('hex')}.json`);
      // A link in the mail gives access to its holder: the file is readable by its owner only, and appears complete.
      await writeFile(`${file}.part`, `${JSON.stringify({ ...mail, at } satisfies SavedMail, null, 2)}\n`, {
        mode: 0o600,
      });
      await rename(`${file}.part`, file);
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
