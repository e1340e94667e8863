import { beforeEach, expect, test } from 'vitest';
import { manualClock } from '../../../src/lib/clock.ts';
import type { Mail } from '../../../src/ports/mailer.ts';
import { usePlatform } from '../../support/platform.ts';
import { credentialsOf, peopleOf } from './people.ts';

const clock = manualClock(new Date());
const mails: Mail[] = [];
const platform = await usePlatform({ identityProvider: 'embedded', clock });
platform.services.mailer = { kind: 'kept', send: async (mail) => void mails.push(mail) };
const people = peopleOf(platform);
/** Attempts are counted by the hour at most: one test does not use up those of the next. */
beforeEach(() => clock.advance(3_600_000));

async function post(path: string, body: object, cookie: string) {
  const response = await fetch(`${platform.url}/idp/${path}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Cookie: cookie },
    body: JSON.stringify(body),
  });
  return { status: response.status, setCookies: response.headers.getSetCookie() };
}

test('a user is notified by mail of a second factor that was set up, and of one that was removed', async () => {
  const { email, password, cookie } = await people.enroll();
  const subjects = () => mails.filter(({ to }) => to === email).map(({ subject }) => subject);
  expect(subjects()).toEqual(['Two-factor authentication was turned on']);
  expect((await post('account/second-factor/remove', { password: 'wrong wrong' }, cookie)).status).toBe(400);
  expect(subjects()).toHaveLength(1);
  expect((await post('account/second-factor/remove', { password }, cookie)).status).toBe(200);
  expect(subjects().slice(1)).toEqual(['Two-factor authentication was turned off']);
});

test.each([
  ['9 minutes 50 seconds', 200],
  ['10 minutes', 401],
])('a code that follows the password after %s is %i', async (age, expected) => {
  const { backupCodes, ...person } = await people.enroll();
  const { setCookies } = await post('sign-in/email', credentialsOf(person), '');
  const challenge = setCookies.find((line) => line.includes('two_factor=')) ?? '';
  expect(challenge).toContain('; Max-Age=600;');
  const { rowCount } = await platform.services.pool.query(
    'UPDATE idp.verification SET "expiresAt" = "expiresAt" - $2::interval WHERE value = $1',
    [person.id, age],
  );
  expect(rowCount).toBe(1);
  const answer = await post('sign-in/code', { code: backupCodes[0] }, challenge.split(';')[0] ?? '');
  expect(answer.status).toBe(expected);
});
