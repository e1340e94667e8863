import type { Services } from '../services.ts';
import { mailOf } from '../theme/letter.ts';
import { type Words, wordsIn } from '../theme/words.ts';
import { countNotice } from './mail-allowance.ts';

interface Notice {
  subject: string;
  lead: string;
  /** `path` is below the platform's address. */
  action: { label: string; path: string };
  notes: readonly string[];
}

/**
 * Sends a notice of a change, unless there were too many of its kind about the same (`countNotice`). The last one that
 * is sent says that further ones are not. A mail that cannot be sent is logged, and changes nothing.
 */
export async function sendNotice(
  services: Pick<Services, 'pool' | 'clock' | 'mailer' | 'log' | 'config'>,
  words: Words,
  { kind, about, recipients }: { kind: string; about: string; recipients: readonly string[] },
  { subject, lead, action, notes }: Notice,
): Promise<void> {
  const { mailer, log, config } = services;
  try {
    const left = await countNotice(services, kind, about);
    if (left < 0) return log.warn({ kind }, 'A notice was not mailed: its allowance is used up.');
    const letter = {
      subject,
      lead,
      action: { label: action.label, url: `${config.publicUrl}${action.path}` },
      notes: left === 0 ? [...notes, words.text('mail.lastNotice')] : notes,
      brand: null,
    };
    await Promise.all(recipients.map((to) => mailer.send(mailOf(words, config.publicUrl, { ...letter, to }))));
  } catch (error) {
    log.error({ err: error }, 'A notice was not mailed.');
  }
}

/** Bounds the mails of one change. */
const recipientsMax = 200;

/**
 * Tells the admins of a partner, if there is one, and the superadmins of a change that gives power over money, so that
 * they learn of one that they did not expect.
 */
export async function tellAdmins(
  services: Services,
  kind: string,
  partner: { slug: string } | null,
  noticeIn: (words: Words) => Notice,
): Promise<void> {
  const ofPartner = partner && { whitelabelOwnership: partner.slug, platformRoles: { has: 'partneradmin' } };
  const people = await services.prisma.iamUser.findMany({
    where: {
      banned: false,
      deletedAt: null,
      OR: [{ whitelabelOwnership: null, platformRoles: { has: 'superadmin' } }, ...(ofPartner ? [ofPartner] : [])],
    },
    select: { email: true },
    orderBy: { createdAt: 'asc' },
    take: recipientsMax,
  });
  // The language of the recipients is unknown.
  const words = wordsIn('en');
  const recipients = people.map(({ email }) => email);
  await sendNotice(services, words, { kind, about: partner?.slug ?? '', recipients }, noticeIn(words));
}
