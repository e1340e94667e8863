import { countAddress, hourMs } from '../../limits/windows.ts';
import type { Services } from '../../services.ts';
import { platformName as platform } from '../../theme/brand.ts';
import { mailOf } from '../../theme/letter.ts';
import type { Words } from '../../theme/words.ts';
import { mayMailReset } from '../mail-allowance.ts';
import { sendNotice } from '../tell-admins.ts';

/** Sends the link to choose another password. The link is neither stored nor returned anywhere else. */
function sendPasswordReset(
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

/** Notifies a user of a change of their sign-in, so that they learn of one that another person has made. */
export async function sendChangeMail(
  services: Services,
  words: Words,
  { to, change }: { to: string; change: keyof typeof changes },
): Promise<void> {
  const { text } = words;
  await sendNotice(
    services,
    words,
    { kind: change, about: to.toLowerCase(), recipients: [to] },
    {
      subject: text(changes[change]),
      lead: text('mail.change.lead', { platform }),
      action: { label: text('forgot.title'), path: '/idp/forgot-password' },
      notes: [text('mail.change.note')],
    },
  );
}

/** How many links one network address can request in an hour. */
const requestsOfAddressMax = 20;

interface ResetTokens {
  requestPasswordReset(email: string): Promise<{ email: string; token: string } | null>;
}

/**
 * Mails a link to choose another password. The caller cannot find out whether there is an account: only the address is
 * checked before the answer, and everything that depends on the account happens after it. `finished` is for the log and
 * for tests.
 */
export async function requestPasswordReset(
  services: Services,
  idp: ResetTokens,
  { ip, email, words }: { ip: string; email: string; words: Words },
): Promise<{ finished: Promise<void> }> {
  await countAddress(services, 'reset', ip, requestsOfAddressMax, hourMs);
  const finished = mailLink(services, idp, email, words).catch((error: unknown) =>
    services.log.error({ err: error }, 'The link to choose another password was not sent.'),
  );
  return { finished };
}

async function mailLink(services: Services, idp: ResetTokens, email: string, words: Words): Promise<void> {
  // The mails that were sent remain valid, so that many requests by another person do not lock the user out.
  if (!(await mayMailReset(services, email))) return;
  const issued = await idp.requestPasswordReset(email);
  if (!issued) return;
  const url = `${services.config.publicUrl}/idp/reset-password?token=${encodeURIComponent(issued.token)}`;
  await sendPasswordReset(services, words, { to: issued.email, url });
}
