import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestPlatform, type TestPlatform } from '../support/platform.ts';
import { peopleOf, type People } from '../support/people.ts';
import { clientOf } from '../support/client.ts';

let platform: TestPlatform;
let people: People;

beforeAll(async () => {
  platform = await startTestPlatform();
  people = peopleOf(platform);
});
afterAll(() => platform.close());

const me = '{ me { kind userId email platformRoles whitelabelOwnership } }';

test('200 with a cookie, and with the token it gives, for who has signed in', async () => {
  const person = await people.create({ platformRoles: ['superadmin'] });
  const { cookie, setCookie } = await people.signIn(person);
  expect(setCookie).toMatch(/; Path=\/; HttpOnly; SameSite=Lax$/);
  const expected = { me: { kind: 'session', userId: person.id, email: person.email, platformRoles: ['superadmin'], whitelabelOwnership: null } };
  expect((await clientOf(platform).graphql(me, {}, { Cookie: cookie })).data).toEqual(expected);
  expect((await clientOf(platform, await people.token(cookie)).graphql(me)).data).toEqual(expected);
});
