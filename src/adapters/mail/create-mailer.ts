import type { Clock } from '../../kit/clock.ts';
import type { Mailer } from '../../ports/mailer.ts';
import type { Config } from '../../runtime/config.ts';
import { createFileMailer } from './file-mailer.ts';
import { createSmtpMailer } from './smtp-mailer.ts';

/** The configured mailer. */
export function createMailer({ mail }: Pick<Config, 'mail'>, clock: Clock): Mailer {
  return mail.kind === 'smtp' ? createSmtpMailer(mail.url, mail.from) : createFileMailer(mail.dir, clock);
}
