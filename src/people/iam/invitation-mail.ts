import type { Partner } from '../../generated/prisma/client.ts';
import { escapeHtml } from '../../kit/html.ts';
import { brandOf, brandText } from '../../look/brand.ts';
import type { IdpInvitation } from '../../ports/identity-provider.ts';
import type { Services } from '../../services.ts';

/** Sends the partner's branded message with the one-time link. The `acceptUrl` is stored and returned nowhere else. */
export async function sendInvitation(
  { mailer }: Pick<Services, 'mailer'>,
  partner: Pick<Partner, 'name' | 'branding'>,
  invitation: IdpInvitation,
): Promise<void> {
  if (invitation.acceptUrl === undefined) return;
  const { name, palette } = brandOf(partner);
  const footer = brandText(partner.branding, 'emailFooter');
  const color = palette?.link.light ?? '#1f2937';
  const lines = [
    `${name} invites you to work with them on the Partner Payments Platform.`,
    'The link works once and for seven days.',
    ...(footer === undefined ? [] : [footer]),
  ];
  await mailer.send({
    to: invitation.email,
    subject: `${oneLine(name)} invites you`,
    text: [lines[0], '', invitation.acceptUrl, '', ...lines.slice(1)].join('\n'),
    html: [
      `<h1 style="color:${color}">${escapeHtml(name)}</h1>`,
      `<p>${escapeHtml(lines[0] ?? '')}</p>`,
      `<p><a href="${escapeHtml(invitation.acceptUrl)}">Accept the invitation</a></p>`,
      ...lines.slice(1).map((line) => `<p>${escapeHtml(line)}</p>`),
    ].join(''),
  });
}

/** A line break in a subject would start another header. */
function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
