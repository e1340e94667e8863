import type { Clock } from '../kit/clock.ts';
import type { Config } from '../kit/config.ts';
import type { Mailer } from '../ports/mailer.ts';
import { createFileMailer } from './file-mailer.ts';
import { createSmtpMailer } from './smtp-mailer.ts';

/** The mailer the configuration asks for. */
export function createMailer({ mail }: Pick<Config, 'mail'>, clock: Clock): Mailer {
  return mail.kind === 'smtp' ? createSmtpMailer(mail.url, mail.from) : createFileMailer(mail.dir, clock);
}
