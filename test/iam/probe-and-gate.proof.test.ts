import fc from 'fast-check';
import { expect, test } from 'vitest';
import { platformRoleNames } from '../../src/auth/roles.ts';
import { newId } from '../../src/lib/ids.ts';
import type { IdpUser } from '../../src/ports/identity-provider.ts';
import type { Answer } from '../support/client.ts';
import { usePlatform } from '../support/platform.ts';
import { callers } from './matrix.ts';
import { makePartner, makePerson, type SignedIn, signIn } from './people.ts';

const sessions: SignedIn[] = [];
const people: IdpUser[] = [];
const partnerIds = new Map<string, string>();

const platform = await usePlatform();
for (const slug of ['acme', 'globex']) partnerIds.set(slug, (await makePartner(platform, slug)).id);
for (const access of Object.values(callers)) {
  const user = await makePerson(platform, access);
  people.push(user);
  sessions.push(await signIn(platform, user));
}
people.push(await makePerson(platform, { platformRoles: ['accountmanager'], whitelabelOwnership: 'globex' }));
partnerIds.set('oldco', (await makePartner(platform, 'oldco', 'offboarded')).id);
people.push(await makePerson(platform, { platformRoles: ['accountmanager'], whitelabelOwnership: 'oldco' }));
people.push(await makePerson(platform, { platformRoles: ['partnerstaff', 'hubadmin'], whitelabelOwnership: 'acme' }));

/** The users as created, so that one case does not affect the next. */
async function restore(user: IdpUser): Promise<void> {
  const { prisma, clock, identityProvider } = platform.services;
  await identityProvider.setAccess(user.id, user);
  const partnerId = partnerIds.get(user.whitelabelOwnership ?? '');
  if (partnerId !== undefined) {
    const now = clock.now();
    const active = {
      userId: user.id,
      email: user.email,
      roles: [...user.platformRoles],
      status: 'active',
      joinedAt: now,
      revokedAt: null,
      invitationId: null,
    };
    await prisma.partnerMembership.upsert({
      where: { partnerId_emailLower: { partnerId, emailLower: user.email } },
      update: active,
      create: { id: newId('mem_', now), partnerId, emailLower: user.email, invitedAt: now, ...active },
    });
  }
  await platform.idp.flush();
}

const unknownUser = { id: 'user_unknown', whitelabelOwnership: null } as const;
const callerIndex = fc.nat(Object.keys(callers).length - 1);
const targetIndex = fc.nat(Object.keys(callers).length + 3);

/** A refusal of permission, or of an archived partner. Any other conflict is a question of the present state. */
const namesOffboarded = ({ body }: Answer): boolean => `${body.message}`.includes('(partner_offboarded)');
const isRefused = (answer: Answer): boolean => [403, 404, 422].includes(answer.status) || namesOffboarded(answer);

function expectSame(probe: { ok: boolean; reason?: string }, mutation: Answer): void {
  const both = `${JSON.stringify(probe)} and ${mutation.status} ${JSON.stringify(mutation.body)}`;
  expect(probe.ok, both).toBe(!isRefused(mutation));
  expect(probe.reason === 'partner_offboarded', both).toBe(namesOffboarded(mutation));
}

test('assign-role returns ok exactly when the mutation is not 403, 404, 422 or 409 partner_offboarded', async () => {
  const roles = fc.uniqueArray(fc.constantFrom(...platformRoleNames), { maxLength: 3 });
  await fc.assert(
    fc.asyncProperty(callerIndex, targetIndex, roles, async (caller, at, requestedRoles) => {
      const session = sessions[caller] as SignedIn; // within bounds
      const target = people[at] ?? unknownUser;
      const { body: probe } = await session.iam('/permissions/assign-role', {
        targetUserId: target.id,
        requestedRoles,
      });
      const body = { userId: target.id, roles: requestedRoles };
      const mutation =
        target.whitelabelOwnership === null
          ? await session.iam('/internal-users/set-roles', body)
          : await session.iam(`/partners/${target.whitelabelOwnership}/staff/set-roles`, body);
      if ('email' in target) await restore(target);
      expectSame(probe, mutation);
    }),
    { numRuns: 120 },
  );
});

test('assign-role with a scope returns ok exactly when the move and the roles after it are not refused', async () => {
  const roles = fc.uniqueArray(fc.constantFrom(...platformRoleNames), { maxLength: 2 });
  const scope = fc.constantFrom('acme', 'oldco', 'nowhere', null);
  const superadmin = sessions[0] as SignedIn; // the first caller of the table
  await fc.assert(
    fc.asyncProperty(targetIndex, roles, scope, async (at, requestedRoles, requestedScope) => {
      const target = people[at] ?? unknownUser;
      const { body: probe } = await superadmin.iam('/permissions/assign-role', {
        targetUserId: target.id,
        requestedRoles,
        requestedScope,
      });
      const move = { userId: target.id, partnerSlug: requestedScope };
      const moved = await superadmin.iam('/internal-users/set-partner-scope', move);
      const body = { userId: target.id, roles: requestedRoles };
      const given =
        requestedScope === null
          ? await superadmin.iam('/internal-users/set-roles', body)
          : await superadmin.iam(`/partners/${requestedScope}/staff/set-roles`, body);
      if ('email' in target) await restore(target);
      // A role that cannot be given is named before the archived partner is.
      expect(probe.ok, JSON.stringify([probe, moved, given])).toBe(![moved, given].some(isRefused));
      if (probe.reason === 'partner_offboarded') expect(namesOffboarded(moved)).toBe(true);
    }),
    { numRuns: 120 },
  );
});

test('manage-partner-staff returns ok exactly when the mutation is not 403, 404, 422 or 409 partner_offboarded', async () => {
  await fc.assert(
    fc.asyncProperty(
      callerIndex,
      targetIndex,
      fc.constantFrom('invite', 'revoke', 'delete', 'resend-invitation', 'set-roles'),
      fc.constantFrom('acme', 'globex', 'oldco', 'nowhere'),
      async (caller, at, action, partnerSlug) => {
        const session = sessions[caller] as SignedIn; // within bounds
        const target = people[at] ?? unknownUser;
        const { body: probe } = await session.iam('/permissions/manage-partner-staff', {
          partnerSlug,
          action,
          targetUserId: target.id,
        });
        const named =
          action === 'invite'
            ? { email: 'email' in target ? target.email : 'unknown@example.com', roles: ['accountmanager'] }
            : { userId: target.id, ...(action === 'set-roles' && { roles: [] }) };
        const mutation = await session.iam(`/partners/${partnerSlug}/staff/${action}`, named);
        await platform.services.prisma.partnerMembership.deleteMany({ where: { status: 'pending' } });
        if ('email' in target) await restore(target);
        expectSame(probe, mutation);
      },
    ),
    { numRuns: 120 },
  );
});
