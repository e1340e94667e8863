import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { expect, test } from 'vitest';
import { createTokenVerifier } from '../../../src/adapters/session-tokens.ts';
import { issuer, tokenSuite, without } from './token-suite.ts';

tokenSuite(
  'embedded',
  (readKeys) => createTokenVerifier({ issuer, audience: issuer, authorizedParties: [issuer], readKeys }),
  [
    ['for another audience', 'WRONG_PARTY', (good) => ({ ...good, aud: 'https://other.example.com' })],
    ['without an audience', 'WRONG_PARTY', (good) => without(good, 'aud')],
    ['that does not say that its session is active', 'PENDING', (good) => without(good, 'sts')],
  ],
);

test('a token tells when the second factor was verified: of the embedded provider the time, of Clerk its age in minutes', async () => {
  const { privateKey, publicKey } = await generateKeyPair('RS256');
  const keys = [{ ...(await exportJWK(publicKey)), kid: 'k1', alg: 'RS256' }];
  const iat = Math.floor(Date.now() / 1000);
  const timeIn = async (isHosted: boolean, claims: object) => {
    const verify = createTokenVerifier({
      issuer,
      authorizedParties: [issuer],
      isHosted,
      readKeys: async () => ({ keys }),
    });
    const session = { iss: issuer, azp: issuer, sub: 'user_1', sid: 'sess_1', sts: 'active', iat, exp: iat + 60 };
    const token = new SignJWT({ ...session, ...claims }).setProtectedHeader({ alg: 'RS256', kid: 'k1' });
    const verified = await verify(await token.sign(privateKey));
    return verified.ok ? verified.session.secondFactorAt : verified.reason;
  };
  expect(await timeIn(false, { mfa_at: iat - 0.25 })).toEqual(new Date(iat * 1000 - 250));
  expect(await timeIn(true, { fva: [12, 9] })).toEqual(new Date((iat - 540) * 1000));
  expect(await timeIn(true, { fva: [3, 0] })).toEqual(new Date(iat * 1000));
  // Not verified, an older token, and what only the other provider writes.
  for (const claims of [{ fva: [0, -1] }, {}, { fva: 'now' }, { fva: [0] }, { mfa_at: iat }])
    expect(await timeIn(true, claims), JSON.stringify(claims)).toBeNull();
  for (const claims of [{ fva: [0, 0] }, {}, { mfa_at: 'now' }])
    expect(await timeIn(false, claims), JSON.stringify(claims)).toBeNull();
});
