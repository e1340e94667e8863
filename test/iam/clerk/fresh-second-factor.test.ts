import type { JWTPayload } from 'jose';
import { expect, test } from 'vitest';
import type { ClerkStandIn } from '../../support/clerk-stand-in.ts';
import { clientOf } from '../../support/client.ts';
import { usePlatform } from '../../support/platform.ts';
import { makePartner, makePerson } from '../people.ts';

const platform = await usePlatform({ identityProvider: 'clerk', env: { IDP_REQUIRE_SECOND_FACTOR: 'yes' } });
if (!platform.clerk) throw new Error('The platform is to speak to Clerk.');
const clerk: ClerkStandIn = platform.clerk;
await makePartner(platform, 'acme');

const makeKey = `mutation {
  createPartnerKey(partnerSlug: "acme", input: { label: "a key", mode: test }, reason: "a new server") { __typename }
}`;

/** The answer to a user whose token has these claims: the refusal, or null. */
async function refusalWith(claims: JWTPayload, access: { platformRoles: string[]; whitelabelOwnership?: string }) {
  const { email } = await makePerson(platform, access);
  const { cookie, bearer } = await clerk.openSession(email, claims);
  const credentials: Record<string, string>[] = [{ Cookie: cookie }, { Authorization: `Bearer ${bearer}` }];
  const answers = credentials.map(async (headers) => {
    const { errors } = await clientOf(platform).graphql(makeKey, {}, headers);
    return errors ? errors[0].extensions.data.reason : null;
  });
  const [viaCookie, viaToken] = await Promise.all(answers);
  expect(viaToken).toBe(viaCookie);
  return viaCookie;
}

test.each([
  ['verified just now', [0, 0], null],
  ['9 minutes ago', [9, 9], null],
  ['11 minutes ago', [0, 11], 'second_factor_too_old'],
  ['never', [0, -1], 'second_factor_too_old'],
])('with Clerk, a second factor verified %s (fva %j) is answered %s, by cookie and by token', async (_when, fva, reason) => {
  expect(await refusalWith({ fva }, { platformRoles: ['hubadmin'] })).toBe(reason);
  expect(await refusalWith({ fva }, { platformRoles: ['partneradmin'], whitelabelOwnership: 'acme' })).toBe(reason);
});

test('with Clerk, the age counts on from when the token was issued, and a token without the claim is 403', async () => {
  const iat = Math.floor(Date.now() / 1000) - 120;
  const hubadmin = { platformRoles: ['hubadmin'] };
  expect(await refusalWith({ fva: [0, 9], iat }, hubadmin)).toBe('second_factor_too_old');
  expect(await refusalWith({ fva: [0, 7], iat }, hubadmin)).toBeNull();
  expect(await refusalWith({ fva: undefined }, hubadmin)).toBe('second_factor_too_old');
});

test('/idp/second-factor offers to sign in again at Clerk, which leads back', async () => {
  const page = await fetch(`${platform.url}/idp/second-factor?redirect=/console/`);
  const html = await page.text();
  expect(page.status).toBe(200);
  expect(html).toContain('data-post="sign-out"');
  expect(html).toContain(`data-then="sign-in?redirect=${encodeURIComponent('/console/')}"`);
});
