import { conflict } from '../../auth/decisions.ts';
import type { Context, SessionContext } from '../../call/context.ts';
import type { Partner, PartnerMembership } from '../../generated/prisma/client.ts';
import { type InputIssue, InvalidInput } from '../../lib/errors.ts';
import { isWebPort, webPorts } from '../../lib/network.ts';
import { type IdentityProvider, IdpError, type IdpInvitation } from '../../ports/identity-provider.ts';
import { brandEntry, brandLanguage, brandOf, brandText, platformName } from '../../theme/brand.ts';
import { mailOf } from '../../theme/letter.ts';
import { languages, wordsIn } from '../../theme/words.ts';
import type { AuditedChange } from '../audited-change.ts';
import { countInvitation } from '../mail-allowance.ts';
import { disclosableReason } from '../policy.ts';
import { newAdminRoles, tellOfAdmin } from '../tell-of-admin.ts';
import { putMembership } from './membership-rows.ts';

/**
 * Sends the partner's branded message with the one-time link. The `acceptUrl` is neither stored nor returned anywhere
 * else. The language of the invited person is unknown: the message has the language of the partner's branding, or of
 * the inviting user.
 */
async function sendInvitation(
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

/** The key of a partner's branding with the page that its invitations redirect to. */
const redirectKey = 'invitationRedirectUrl';
const redirectLengthMax = 2_048;

/** The partner's own page for accepted invitations. A stored value that is not valid is treated as absent. */
function brandRedirect(branding: unknown): string | undefined {
  return httpsUrl(brandEntry(branding, redirectKey));
}

/** Rejects branding, or a patch of it, in which a known key has an invalid form. Null removes a key. */
export function assertBranding(branding: unknown): void {
  const issues: InputIssue[] = [];
  const check = (key: string, isValid: boolean, message: string): void => {
    if (brandEntry(branding, key) != null && !isValid) issues.push({ path: `branding.${key}`, message });
  };
  check(
    redirectKey,
    brandRedirect(branding) !== undefined,
    `must be an https address without a user, of at most ${redirectLengthMax} characters, with ${webPorts}`,
  );
  check('language', brandLanguage(branding) !== undefined, `must be one of ${Object.keys(languages).join(', ')}`);
  if (issues.length > 0) throw new InvalidInput(issues);
}

function httpsUrl(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.length > redirectLengthMax || !URL.canParse(value)) return undefined;
  const url = new URL(value);
  const isRight = url.protocol === 'https:' && url.username === '' && url.password === '' && isWebPort(url);
  return isRight ? url.href : undefined;
}

/** Replaces the invitation of a membership, or of a new one. The link is mailed after commit. */
export async function invitePending(
  change: AuditedChange,
  context: SessionContext,
  partner: Partner,
  membership: PartnerMembership | null,
  email: string,
  roles: string[],
): Promise<PartnerMembership> {
  const { now } = change;
  const { identityProvider, config } = context.services;
  await countInvitation(context.services, partner.slug, email);
  // The provider cannot change an invitation, and allows one pending invitation for an email address.
  if (membership?.invitationId != null) await identityProvider.revokeInvitation(membership.invitationId);
  const invitation = await inviteAtProvider(change, context, {
    email,
    access: { platformRoles: roles, whitelabelOwnership: partner.slug },
    redirectUrl: brandRedirect(partner.branding) ?? config.invitationRedirectUrl,
  });
  change.compensate(() => identityProvider.revokeInvitation(invitation.id));
  change.afterCommit(() => sendInvitation(context, partner, invitation));
  const admin = newAdminRoles(null, { platformRoles: roles, whitelabelOwnership: partner.slug });
  if (admin.length > 0)
    change.afterCommit(() => tellOfAdmin(context.services, { email, roles: admin, partnerSlug: partner.slug }));
  return putMembership(change, partner.id, membership, {
    email,
    emailLower: email.toLowerCase(),
    roles,
    status: 'pending',
    invitationId: invitation.id,
    invitedAt: now,
    joinedAt: null,
    revokedAt: null,
    userId: null,
    invitedBy: context.caller.userId,
  });
}

type NewInvitation = Parameters<IdentityProvider['invite']>[0];

/** Invites at the provider, and retries once if an invitation without a membership prevented it. */
async function inviteAtProvider(
  change: AuditedChange,
  context: SessionContext,
  invitation: NewInvitation,
): Promise<IdpInvitation> {
  const { identityProvider } = context.services;
  const refuse = (error: unknown): never => {
    if (error instanceof IdpError && error.code === 'CONFLICT')
      throw conflict(disclosableReason(context.caller, 'target_in_other_partner'));
    // The provider does not accept every address, for example because of its domain.
    if (error instanceof IdpError && error.code === 'REJECTED') throw conflict('email_not_invitable');
    throw error;
  };
  return identityProvider.invite(invitation).catch(async (error: unknown) => {
    const isRetriable =
      error instanceof IdpError && error.code === 'CONFLICT' && (await revokeOrphan(change, context, invitation.email));
    return isRetriable ? identityProvider.invite(invitation).catch(refuse) : refuse(error);
  });
}

/**
 * Revokes an invitation at the provider that has no membership and whose link was never sent, left by a crash or a lost
 * answer. The email address is locked, so no other invitation of it is in progress. An invitation without a partner
 * belongs to the superadmin command.
 */
async function revokeOrphan({ tx }: AuditedChange, { services }: SessionContext, email: string): Promise<boolean> {
  const pending = await services.identityProvider.findPendingInvitation(email);
  if (!pending || pending.access.whitelabelOwnership === null) return false;
  if ((await tx.partnerMembership.count({ where: { invitationId: pending.id } })) > 0) return false;
  await services.identityProvider.revokeInvitation(pending.id);
  services.log.warn(
    { invitationId: pending.id },
    'An invitation without a membership was revoked at the identity provider.',
  );
  return true;
}
