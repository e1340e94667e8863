import { expect, test } from 'vitest';
import { usePlatform } from '../../support/platform.ts';
import { makePartner, makePerson, type SignedIn, signIn } from '../people.ts';

const platform = await usePlatform({ identityProvider: 'embedded' });
const { pool } = platform.services;
await makePartner(platform, 'acme');
const people = {
  hubadmin: await makePerson(platform, { platformRoles: ['hubadmin'] }),
  partneradmin: await makePerson(platform, { platformRoles: ['partneradmin'], whitelabelOwnership: 'acme' }),
  'no role': await makePerson(platform),
};
type Who = keyof typeof people;

/** Lets a session of a person be this old, and its last call this long ago. */
async function aged(who: Who, age: string, idle: string): Promise<SignedIn> {
  const person = await signIn(platform, people[who]);
  await pool.query(
    'UPDATE idp.session SET "createdAt" = now() - $2::interval, "usedAt" = now() - $3::interval, ' +
      '"expiresAt" = "expiresAt" - $2::interval ' +
      'WHERE id = (SELECT id FROM idp.session WHERE "userId" = $1 ORDER BY "createdAt" DESC LIMIT 1)',
    [person.id, age, idle],
  );
  return person;
}
const isSignedIn = async ({ graphql }: SignedIn) => (await graphql('{ me { email } }')).data?.me != null;
const token = async ({ cookie }: SignedIn) =>
  (await fetch(`${platform.url}/idp/token`, { headers: { cookie } })).status;
const rowsOf = async (who: Who) =>
  Number((await pool.query('SELECT count(*) FROM idp.session WHERE "userId" = $1', [people[who].id])).rows[0].count);

test.each([
  ['hubadmin', '11 hours 59 minutes 50 seconds', '0 minutes', true],
  ['hubadmin', '12 hours 1 second', '0 minutes', false],
  ['hubadmin', '1 hour', '29 minutes 50 seconds', true],
  ['hubadmin', '1 hour', '30 minutes 1 second', false],
  ['partneradmin', '1 hour', '29 minutes 50 seconds', true],
  ['partneradmin', '1 hour', '30 minutes 1 second', false],
  ['partneradmin', '12 hours 1 second', '0 minutes', false],
  ['no role', '6 days', '6 days', true],
  ['no role', '6 days 23 hours 59 minutes 50 seconds', '0 minutes', true],
  ['no role', '7 days 1 second', '0 minutes', false],
] as const)('a session of %s that is %s old and unused for %s: accepted %s', async (who, age, idle, isAccepted) => {
  const person = await aged(who, age, idle);
  expect(await isSignedIn(person)).toBe(isAccepted);
  expect(await token(person)).toBe(isAccepted ? 200 : 401);
});

test('401 says that the session has ended; it is deleted, and its token is refused at once', async () => {
  const person = await aged('hubadmin', '0 hours', '0 minutes');
  const { token: bearer } = (await (
    await fetch(`${platform.url}/idp/token`, { headers: { cookie: person.cookie } })
  ).json()) as { token: string };
  const probe = (headers: Record<string, string>) =>
    fetch(`${platform.url}/api/v1/iam/users/list`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...headers },
      body: '{}',
    });
  expect((await probe({ Authorization: `Bearer ${bearer}` })).status).toBe(200);
  await pool.query('DELETE FROM idp.session WHERE "userId" = $1 AND "usedAt" < now() - interval \'1 minute\'', [
    person.id,
  ]);
  const before = await rowsOf('hubadmin');
  await pool.query('UPDATE idp.session SET "usedAt" = now() - interval \'31 minutes\' WHERE "userId" = $1', [
    person.id,
  ]);
  const refused = await probe({ Cookie: person.cookie });
  expect(refused.status).toBe(401);
  expect(await refused.text()).toContain('The session has ended: sign in again.');
  expect(await rowsOf('hubadmin')).toBe(before - 1);
  await platform.idp.flush();
  expect((await probe({ Authorization: `Bearer ${bearer}` })).status).toBe(401);
});

test('a call within the 30 minutes starts them again; the last call is written once a minute', async () => {
  const person = await aged('hubadmin', '1 hour', '20 minutes');
  const used = async () =>
    (
      await pool.query('SELECT max("usedAt") AS at FROM idp.session WHERE "userId" = $1', [person.id])
    ).rows[0].at.getTime();
  const before = await used();
  expect(await isSignedIn(person)).toBe(true);
  const noted = await used();
  expect(noted).toBeGreaterThan(before);
  expect(await isSignedIn(person)).toBe(true);
  expect(await used()).toBe(noted);
});

test('ended sessions are in no list, and are purged with those that have expired', async () => {
  await pool.query('DELETE FROM idp.session');
  const open = await aged('hubadmin', '1 hour', '1 minute');
  await aged('hubadmin', '1 hour', '31 minutes');
  const withoutRole = await aged('no role', '1 day', '1 day');
  expect((await open.graphql('{ me { sessions { id } } }')).data?.me.sessions).toHaveLength(1);
  expect(await platform.idp.purgeExpired?.()).toBe(1);
  expect(await rowsOf('hubadmin')).toBe(1);
  expect(await isSignedIn(withoutRole)).toBe(true);
});
