import type { Partner } from '../../generated/prisma/client.ts';
import type { Context } from '../../graph/context.ts';
import { brandLanguage, brandOf, brandText, platformName } from '../../look/brand.ts';
import { mailOf } from '../../look/letter.ts';
import { wordsIn } from '../../look/words.ts';
import type { IdpInvitation } from '../../ports/identity-provider.ts';

/**
 * Sends the partner's branded message with the one-time link. The `acceptUrl` is stored and returned nowhere else. The
 * language of the invited person is not known: it is that of the partner's branding, or of the person who invites.
 */
export async function sendInvitation(
  { services: { mailer, config }, language }: Pick<Context, 'services' | 'language'>,
  partner: Pick<Partner, 'name' | 'branding'>,
  invitation: IdpInvitation,
): Promise<void> {
  if (invitation.acceptUrl === undefined) return;
  const brand = brandOf(partner);
  const words = wordsIn(brandLanguage(partner.branding) ?? language());
  const { text } = words;
  await mailer.send(
    mailOf(words, config.publicUrl, {
      to: invitation.email,
      subject: text('mail.invite', { partner: brand.name }),
      lead: text('mail.invite.lead', { partner: brand.name, platform: platformName }),
      action: { label: text('accept.title'), url: invitation.acceptUrl },
      notes: [text('mail.invite.note'), text('mail.invite.stranger', { partner: brand.name })],
      brand,
      footer: brandText(partner.branding, 'emailFooter'),
    }),
  );
}
