import { escapeHtml } from '../../kit/html.ts';
import type { Services } from '../../services.ts';

const platform = 'Partner Payments Platform';

/** Sends the link to choose another password. It is stored and returned nowhere else. */
export function sendPasswordReset({ mailer }: Pick<Services, 'mailer'>, to: string, url: string): Promise<void> {
  const lines = [
    `Somebody, probably you, asked for a new password at the ${platform}.`,
    'The link works once and for one hour. If you did not ask for it, nothing has changed and there is nothing to do.',
  ] as const;
  return mailer.send({
    to,
    subject: 'Choose a new password',
    text: [lines[0], '', url, '', lines[1], ''].join('\n'),
    html: `<p>${lines[0]}</p><p><a href="${escapeHtml(url)}">Choose a new password</a></p><p>${lines[1]}</p>`,
  });
}

const changes = {
  password: 'Your password was changed',
  secondFactorOn: 'A second factor was set up',
  secondFactorOff: 'Your second factor was removed',
} as const;

/** Tells a person of a change of how they sign in, so that they learn of one that another person has made. */
export async function tellOfChange(
  { mailer, log, config }: Pick<Services, 'mailer' | 'log' | 'config'>,
  to: string,
  change: keyof typeof changes,
): Promise<void> {
  const sentence = `${changes[change]} at the ${platform}. Other sessions have ended.`;
  const advice = 'If it was not you, choose a new password now:';
  const url = `${config.publicUrl}/idp/forgot-password`;
  await mailer
    .send({
      to,
      subject: changes[change],
      text: [sentence, '', `${advice} ${url}`, ''].join('\n'),
      html: `<p>${sentence}</p><p>${advice} <a href="${escapeHtml(url)}">${escapeHtml(url)}</a></p>`,
    })
    .catch((error: unknown) => log.error({ err: error }, 'A mail about a change of an account was not sent.'));
}
