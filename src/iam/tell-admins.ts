import type { Services } from '../services.ts';
import { mailOf } from '../theme/letter.ts';
import { type Words, wordsIn } from '../theme/words.ts';

interface Told {
  subject: string;
  lead: string;
  /** `path` is below the platform's address. */
  action: { label: string; path: string };
  notes: readonly string[];
}

/** Bounds the mails of one change. */
const recipientsMax = 200;

/**
 * Tells the admins of a partner, if there is one, and the superadmins of a change that gives power over money, so that
 * they learn of one that they did not expect. A mail that cannot be sent is logged, and changes nothing.
 */
export async function tellAdmins(
  { prisma, mailer, log, config }: Pick<Services, 'prisma' | 'mailer' | 'log' | 'config'>,
  partner: { slug: string } | null,
  letterIn: (words: Words) => Told,
): Promise<void> {
  const ofPartner = partner && { whitelabelOwnership: partner.slug, platformRoles: { has: 'partneradmin' } };
  const people = await prisma.iamUser.findMany({
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
  const { action, ...letter } = letterIn(words);
  const url = `${config.publicUrl}${action.path}`;
  const send = ({ email: to }: { email: string }): Promise<void> =>
    mailer
      .send(mailOf(words, config.publicUrl, { ...letter, to, action: { label: action.label, url }, brand: null }))
      .catch((error: unknown) => log.error({ err: error }, 'A mail to an admin was not sent.'));
  await Promise.all(people.map(send));
}
