import type { JWTPayload } from 'jose';
import { describe, expect, test } from 'vitest';
import { callIam, makePerson } from '../../iam/people.ts';
import { clientOf } from '../../support/client.ts';
import { usePlatform } from '../../support/platform.ts';
import { seedPartner } from '../../support/seed.ts';
import { differences, hourMs } from './differing-world.ts';

let aheadMs = 0;

/** A server that uses Clerk, whose tokens are judged by the clock of the server. */
const platform = await usePlatform({ identityProvider: 'clerk', ownClock: () => Date.now() + aheadMs });
const { email } = await makePerson(platform, { platformRoles: ['superadmin'] });
const key = (await (await seedPartner(platform)).account()).subKey;

async function setAhead(ms: number): Promise<void> {
  aheadMs = ms;
  await platform.services.clockCheck.fault();
}

const inSeconds = (ms: number) => Math.floor((Date.now() + ms) / 1_000);
/** Tokens that are valid, that have expired, and that are valid later, by the right time. */
const tokens = [
  ['a valid token', {}, 200],
  ['a token that expired an hour ago', { exp: inSeconds(-hourMs) }, 401],
  ['a token that expired ten seconds ago', { exp: inSeconds(-10_000) }, 401],
  ['a token of the next hour', { nbf: inSeconds(hourMs), iat: inSeconds(hourMs), exp: inSeconds(2 * hourMs) }, 401],
] as const;

/** The status of a call with a session, over REST, and the code over GraphQL, with the header and with the cookie. */
async function answersTo(claims: JWTPayload): Promise<unknown[]> {
  const session = await platform.clerk?.openSession(email, claims);
  const rest = await callIam(platform, '/partners-admin/list', {}, { Authorization: `Bearer ${session?.bearer}` });
  const { data, errors } = await clientOf(platform).graphql('{ me { email } }', {}, { Cookie: session?.cookie ?? '' });
  return [rest.status, data?.me?.email ?? errors[0].extensions.code];
}

const codes: Record<number, string> = { 401: 'NOT_AUTHORIZED', 503: 'SERVICE_UNAVAILABLE' };

async function message(): Promise<[number, string]> {
  const response = await fetch(`${platform.url}/hooks/identity-provider`, { method: 'POST', body: '{}' });
  return [response.status, ((await response.json()) as { code: string }).code];
}

const within = [
  ['right', 0],
  ['1.9 seconds ahead', 1_900],
  ['1.9 seconds behind', -1_900],
] as const;

describe.each([...within, ...differences])('at a server of Clerk whose clock is %s', (_name, ms) => {
  const isOff = Math.abs(ms) > 2_000;

  test.each(tokens)('%s', async (_token, claims, status) => {
    await setAhead(ms);
    const wanted = isOff ? 503 : status;
    expect(await answersTo(claims)).toEqual([wanted, codes[wanted] ?? email]);
  });

  test('a message of Clerk is judged only while the clock is right; keys are taken', async () => {
    await setAhead(ms);
    expect(await message()).toEqual(isOff ? [503, codes[503]] : [401, codes[401]]);
    expect((await clientOf(platform, key).call('/auth/test')).status).toBe(200);
  });
});
