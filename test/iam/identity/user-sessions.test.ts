import { expect, test } from 'vitest';
import { usePlatform } from '../../support/platform.ts';
import { seedPartner } from '../../support/seed.ts';
import { type SignedIn, signedIn, signIn, signInEachRole } from '../people.ts';

const platform = await usePlatform({ identityProvider: 'embedded' });
const who = await signInEachRole(platform, await seedPartner(platform));

const sessionsOf = (person: SignedIn, userId: string) =>
  person.graphql('query ($userId: ID!) { userSessions(userId: $userId) { id isPresent ipAddress } }', { userId });
const endAll = (person: SignedIn, userId: string, reason = 'the laptop was stolen') =>
  person.graphql(
    'mutation ($userId: ID!, $reason: Name!) { endUserSessions(userId: $userId, reason: $reason) { endedCount } }',
    { userId, reason },
  );
const codeOf = ({ errors }: Awaited<ReturnType<typeof endAll>>) => errors?.[0].extensions.code ?? 'none';

test('a superadmin ends all sessions of a user: their requests are 401 at once, those of other users are not', async () => {
  const person = await signedIn(platform, { platformRoles: ['hubadmin'] });
  const again = await signIn(platform, person);
  const other = await signedIn(platform, { platformRoles: ['hubadmin'] });
  const { data } = await sessionsOf(who.superadmin, person.id);
  expect(data.userSessions.map(({ isPresent }: { isPresent: boolean }) => isPresent)).toEqual([false, false]);
  expect((await endAll(who.superadmin, person.id)).data.endUserSessions).toEqual({ endedCount: 2 });
  for (const session of [person, again])
    expect((await session.graphql('{ me { email } }')).data?.me ?? null).toBeNull();
  expect((await other.graphql('{ me { email } }')).data.me.email).toBe(other.email);
  expect((await sessionsOf(who.superadmin, person.id)).data.userSessions).toEqual([]);
  expect((await endAll(who.superadmin, person.id)).data.endUserSessions).toEqual({ endedCount: 0 });
  const rows = await platform.services.prisma.auditRow.findMany({
    where: { target: person.id, action: 'endUserSessions' },
    orderBy: { at: 'asc' },
  });
  expect(rows.map(({ outcome, reason, after }) => [outcome, reason, after])).toEqual([
    ['allowed', 'the laptop was stolen', { endedCount: 2 }],
    ['allowed', 'the laptop was stolen', { endedCount: 0 }],
  ]);
});

test('403 for every other role, but hubadmin reads them; 404 for an unknown user, 400 for oneself and without a reason: nothing ends', async () => {
  const person = await signedIn(platform, { platformRoles: ['hubadmin'] });
  for (const [name, caller] of Object.entries(who)) {
    if (name === 'superadmin') continue;
    const reads = ['hubadmin', 'platformpaymentAdmin'].includes(name);
    expect(codeOf(await sessionsOf(caller, person.id)), name).toBe(reads ? 'none' : 'FORBIDDEN');
    expect(codeOf(await endAll(caller, person.id)), name).toBe('FORBIDDEN');
  }
  expect(codeOf(await sessionsOf(who.superadmin, 'user_unknown'))).toBe('NOT_FOUND');
  expect(codeOf(await endAll(who.superadmin, 'user_unknown'))).toBe('NOT_FOUND');
  expect(codeOf(await endAll(who.superadmin, who.superadmin.id))).toBe('INPUT_PARSE_ERROR');
  expect(codeOf(await endAll(who.superadmin, person.id, ' '))).not.toBe('none');
  expect((await person.graphql('{ me { email } }')).data.me.email).toBe(person.email);
});
