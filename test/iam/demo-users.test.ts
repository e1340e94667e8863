import { expect, test } from 'vitest';
import { seedDemoUsers } from '../../src/local/demo.ts';
import { usePlatform } from '../support/platform.ts';
import { makePartner, signedIn } from './people.ts';

const platform = await usePlatform({ identityProvider: 'embedded' });
const superadmin = await signedIn(platform, { platformRoles: ['superadmin'] });

test('the demo has a user of every kind of caller, in the order of contract 22, who can sign in', async () => {
  const partners = [await makePartner(platform, 'first'), await makePartner(platform, 'second')] as const;
  const { users, organizations } = await seedDemoUsers(platform.services, platform.idp, partners);
  expect(organizations.map(({ kind, partnerSlug }) => [kind, partnerSlug])).toEqual([
    ['self_serve', null],
    ['partner_managed', partners[0].slug],
    ['partner_managed', partners[1].slug],
  ]);
  expect(users.map((user) => [user.platformRoles.join(), user.whitelabelOwnership])).toEqual([
    ['superadmin', null],
    ['hubadmin', null],
    ['platformpaymentAdmin', null],
    ['accountmanager', null],
    ['accountmanager', 'first'],
    ['partneradmin', 'first'],
    ['partnerstaff', 'first'],
    ['', null],
    ['partneradmin', 'second'],
    ['', null],
  ]);
  for (const { email, password, idpUserId, whitelabelOwnership } of users) {
    const response = await fetch(`${platform.url}/idp/sign-in/email`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ email, password }),
    });
    expect(response.status).toBe(200);
    expect((await platform.services.prisma.iamUser.findUnique({ where: { idpUserId } }))?.whitelabelOwnership).toBe(
      whitelabelOwnership,
    );
  }
  const merchant = users.at(-1);
  expect(
    (await superadmin.iam('/internal-users/set-roles', { userId: merchant?.idpUserId, roles: ['hubadmin'] })).body
      .message,
  ).toContain('target_is_org_owner');
});
