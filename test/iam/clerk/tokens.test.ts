import { exportSPKI, generateKeyPair, SignJWT } from 'jose';
import { expect, test } from 'vitest';
import { createTokenVerifier } from '../../../src/adapters/session-tokens.ts';
import { IdpError } from '../../../src/ports/identity-provider.ts';
import { loadConfig } from '../../../src/settings/load-config.ts';
import { issuer, tokenSuite } from '../identity/token-suite.ts';

const rules = { issuer, authorizedParties: [issuer], isHosted: true };

tokenSuite('clerk', (readKeys) => createTokenVerifier({ ...rules, readKeys }), [
  // every key above has an id
  ['issued in the future', 'NOT_A_SESSION', (good) => ({ ...good, iat: Number(good.iat) + 60 })],
  // a claim that a foreign issuer may write
  ['whose expiry is a text', 'NOT_A_SESSION', (good) => ({ ...good, exp: 'tomorrow' as unknown as number })],
]);

const nowS = Math.floor(Date.now() / 1000);
const claims = { iss: issuer, azp: issuer, sub: 'user_1', sid: 'sess_1', iat: nowS, exp: nowS + 3_600 };

test.each([
  2048, 4096,
])('with the public key of %i bits, on one line or several, no key is fetched', async (modulusLength) => {
  const { privateKey, publicKey } = await generateKeyPair('RS256', { modulusLength });
  const token = await new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: 'whatever' }).sign(privateKey);
  const pem = await exportSPKI(publicKey);
  for (const text of [pem, pem.replaceAll('\n', '\\n'), pem.replaceAll('\n', '')]) {
    const { identity } = loadConfig({
      IDENTITY_PROVIDER: 'clerk',
      CLERK_SECRET_KEY: 'sk_test_x',
      CLERK_ISSUER: issuer,
      CLERK_AUTHORIZED_PARTIES: issuer,
      CLERK_WEBHOOK_SIGNING_SECRET: 'whsec_c2VjcmV0',
      CLERK_JWT_KEY: text,
    });
    if (identity.kind !== 'clerk') throw new Error('Clerk was asked for.');
    const verify = createTokenVerifier({
      ...identity,
      isHosted: true,
      readKeys: () => Promise.reject(new Error('No request is expected.')),
    });
    // A token without this claim comes from an older version of the provider.
    expect(await verify(token)).toMatchObject({ ok: true, session: { userId: 'user_1' } });
  }
});

test('while Clerk cannot be reached, tokens of a known key are accepted and other tokens are undecided', async () => {
  const { privateKey, publicKey } = await generateKeyPair('RS256');
  const key = { ...(await crypto.subtle.exportKey('jwk', publicKey)), kid: 'k1', alg: 'RS256' };
  let isUp = false;
  const verify = createTokenVerifier({
    ...rules,
    readKeys: () => (isUp ? Promise.resolve({ keys: [key] }) : Promise.reject(new IdpError('UNAVAILABLE', 'down'))),
  });
  const sign = (kid: string) => new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid }).sign(privateKey);
  await expect(verify(await sign('k1'))).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  isUp = true;
  await expect.poll(async () => verify(await sign('k1'))).toMatchObject({ ok: true });
  isUp = false;
  expect(await verify(await sign('k1'))).toMatchObject({ ok: true });
});
