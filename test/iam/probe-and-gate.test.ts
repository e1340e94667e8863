import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { platformRoleNames } from '../../src/auth/roles.ts';
import { newId } from '../../src/kit/ids.ts';
import type { IdpUser } from '../../src/ports/identity-provider.ts';
import { startTestPlatform, type TestPlatform } from '../support/platform.ts';
import { callers } from './matrix.ts';
import { makePartner, makePerson, type SignedIn, signIn } from './people.ts';

let platform: TestPlatform;
const sessions: SignedIn[] = [];
const people: IdpUser[] = [];
const partnerIds = new Map<string, string>();

beforeAll(async () => {
  platform = await startTestPlatform();
  for (const slug of ['acme', 'globex']) partnerIds.set(slug, (await makePartner(platform, slug)).id);
  for (const access of Object.values(callers)) {
    const user = await makePerson(platform, access);
    people.push(user);
    sessions.push(await signIn(platform, user));
  }
  people.push(await makePerson(platform, { platformRoles: ['accountmanager'], whitelabelOwnership: 'globex' }));
  people.push(await makePerson(platform, { platformRoles: ['partnerstaff', 'hubadmin'], whitelabelOwnership: 'acme' }));
});
afterAll(() => platform?.close());

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

const unknownUser = { id: 'user_nobody', whitelabelOwnership: null } as const;
const callerIndex = fc.nat(Object.keys(callers).length - 1);
const targetIndex = fc.nat(Object.keys(callers).length + 2);
const requireAllowed = (status: number): boolean => ![403, 404, 422].includes(status);

test('assign-role returns ok exactly when the mutation is not 403, 404 or 422', async () => {
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
      expect(probe.ok, `${JSON.stringify(probe)} and ${mutation.status} ${JSON.stringify(mutation.body)}`).toBe(
        requireAllowed(mutation.status),
      );
    }),
    { numRuns: 120 },
  );
});

test('manage-partner-staff returns ok exactly when the mutation is not 403, 404 or 422', async () => {
  await fc.assert(
    fc.asyncProperty(
      callerIndex,
      targetIndex,
      fc.constantFrom('revoke', 'delete', 'resend-invitation', 'set-roles'),
      fc.constantFrom('acme', 'globex', 'nowhere'),
      async (caller, at, action, partnerSlug) => {
        const session = sessions[caller] as SignedIn; // within bounds
        const target = people[at] ?? unknownUser;
        const { body: probe } = await session.iam('/permissions/manage-partner-staff', {
          partnerSlug,
          action,
          targetUserId: target.id,
        });
        const mutation = await session.iam(`/partners/${partnerSlug}/staff/${action}`, {
          userId: target.id,
          ...(action === 'set-roles' && { roles: [] }),
        });
        if ('email' in target) await restore(target);
        expect(probe.ok, `${JSON.stringify(probe)} and ${mutation.status} ${JSON.stringify(mutation.body)}`).toBe(
          requireAllowed(mutation.status),
        );
      },
    ),
    { numRuns: 120 },
  );
});
