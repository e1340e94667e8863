import { type IdentityProvider, IdpError, type IdpInvitation, type IdpUser } from '../../ports/identity-provider.ts';

export type NewSuperadmin = { kind: 'invited'; invitation: IdpInvitation } | { kind: 'promoted'; user: IdpUser };

/**
 * Makes a user a superadmin from outside the platform: by an invitation, or immediately for a user with an account. A
 * caller with the provider's secret could do so in any case.
 */
export async function makeSuperadminAt(
  identityProvider: IdentityProvider,
  email: string,
  redirectUrl: string,
): Promise<NewSuperadmin> {
  const user = await identityProvider.findUserByEmail(email);
  if (user) {
    if (user.whitelabelOwnership !== null)
      throw new IdpError(
        'CONFLICT',
        `${user.email} belongs to the partner ${user.whitelabelOwnership}; detach them first.`,
      );
    return {
      kind: 'promoted',
      user: await identityProvider.setAccess(user.id, {
        platformRoles: [...user.platformRoles, 'superadmin'],
        whitelabelOwnership: null,
      }),
    };
  }
  // Replaces an earlier invitation of this command: its link was shown once and may be lost.
  const earlier = await identityProvider.findPendingInvitation(email);
  if (earlier?.access.platformRoles.includes('superadmin')) await identityProvider.revokeInvitation(earlier.id);
  return {
    kind: 'invited',
    invitation: await identityProvider.invite({
      email,
      access: { platformRoles: ['superadmin'], whitelabelOwnership: null },
      redirectUrl,
    }),
  };
}
