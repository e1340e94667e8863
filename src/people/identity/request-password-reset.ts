import { countAttempt, hourMs, noteAttempt } from '../../auth/attempts.ts';
import { networkOf } from '../../kit/network.ts';
import type { Words } from '../../look/words.ts';
import type { Services } from '../../services.ts';
import { sendPasswordReset } from './account-mail.ts';

/** How often a link may be asked for in an hour, by one address and for one account. */
const resetRule = { requestsOfAddress: 20, mailsOfAccount: 3 } as const;

interface ResetTokens {
  requestPasswordReset(email: string): Promise<{ email: string; token: string } | null>;
}

/**
 * Mails a link to choose another password. The caller cannot find out whether there is an account: only the address is
 * refused, and everything that depends on the account happens after the answer. `settled` is for the log and for tests.
 */
export async function requestPasswordReset(
  services: Services,
  idp: ResetTokens,
  { ip, email, words }: { ip: string; email: string; words: Words },
): Promise<{ settled: Promise<void> }> {
  const subject = `reset/address/${networkOf(ip)}`;
  await countAttempt(services, subject, resetRule.requestsOfAddress, hourMs);
  const settled = mailLink(services, idp, email, words).catch((error: unknown) =>
    services.log.error({ err: error }, 'The link to choose another password was not sent.'),
  );
  return { settled };
}

async function mailLink(services: Services, idp: ResetTokens, email: string, words: Words): Promise<void> {
  const subject = `reset/account/${email.toLowerCase()}`;
  // The mails that were sent still work, so that a stranger who asks often locks nobody out.
  if ((await noteAttempt(services, subject, hourMs)) > resetRule.mailsOfAccount) return;
  const issued = await idp.requestPasswordReset(email);
  if (!issued) return;
  const url = `${services.config.publicUrl}/idp/reset-password?token=${encodeURIComponent(issued.token)}`;
  await sendPasswordReset(services, words, { to: issued.email, url });
}
