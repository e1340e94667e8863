import { platformName as platform } from '../../look/brand.ts';
import { mailOf } from '../../look/letter.ts';
import type { Words } from '../../look/words.ts';
import type { Services } from '../../services.ts';

/** Sends the link to choose another password. It is stored and returned nowhere else. */
export function sendPasswordReset(
  { mailer, config }: Pick<Services, 'mailer' | 'config'>,
  words: Words,
  { to, url }: { to: string; url: string },
): Promise<void> {
  const { text } = words;
  return mailer.send(
    mailOf(words, config.publicUrl, {
      to,
      subject: text('forgot.title'),
      lead: text('mail.reset.lead', { platform }),
      action: { label: text('forgot.title'), url },
      notes: [text('mail.reset.note'), text('mail.reset.stranger')],
      brand: null,
    }),
  );
}

const changes = {
  password: 'mail.password',
  secondFactorOn: 'mail.secondFactorOn',
  secondFactorOff: 'mail.secondFactorOff',
} as const;

/** Tells a person of a change of how they sign in, so that they learn of one that another person has made. */
export async function tellOfChange(
  { mailer, log, config }: Pick<Services, 'mailer' | 'log' | 'config'>,
  words: Words,
  { to, change }: { to: string; change: keyof typeof changes },
): Promise<void> {
  const { text } = words;
  await mailer
    .send(
      mailOf(words, config.publicUrl, {
        to,
        subject: text(changes[change]),
        lead: text('mail.change.lead', { platform }),
        action: { label: text('forgot.title'), url: `${config.publicUrl}/idp/forgot-password` },
        notes: [text('mail.change.note')],
        brand: null,
      }),
    )
    .catch((error: unknown) => log.error({ err: error }, 'A mail about a change of an account was not sent.'));
}
