import { createLocalJWKSet, exportJWK, generateKeyPair, type JWTPayload, SignJWT, UnsecuredJWT } from 'jose';
import { beforeAll, expect, test } from 'vitest';
import { createTokenVerifier } from '../../src/idp/tokens.ts';

const issuer = 'https://pay.example.com';
const nowS = Math.floor(Date.now() / 1000);
const good: JWTPayload = { iss: issuer, aud: issuer, azp: issuer, sub: 'user_1', sid: 'sess_1', sts: 'active', v: 2, iat: nowS, exp: nowS + 60 };

type Keys = Awaited<ReturnType<typeof generateKeyPair>>;
let own: Keys;
let foreign: Keys;
let verify: ReturnType<typeof createTokenVerifier>;
let fetches = 0;

beforeAll(async () => {
  own = await generateKeyPair('RS256', { extractable: true });
  foreign = await generateKeyPair('RS256');
  const keys = [{ ...(await exportJWK(own.publicKey)), kid: 'k1', alg: 'RS256' }];
  verify = createTokenVerifier({ issuer, audience: issuer, authorizedParties: [issuer], readKeys: async () => (fetches++, { keys }) });
  expect(createLocalJWKSet({ keys })).toBeDefined();
});

const without = (name: string): JWTPayload => Object.fromEntries(Object.entries(good).filter(([key]) => key !== name));
const sign = (claims: JWTPayload, { kid = 'k1', typ, key = own.privateKey }: { kid?: string; typ?: string; key?: Keys['privateKey'] } = {}) =>
  new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid, ...(typ !== undefined && { typ }) }).sign(key);

test('a token of a session is taken, with typ JWT too, and names who looks through whose eyes', async () => {
  const session = { userId: 'user_1', sessionId: 'sess_1', expiresAt: new Date((nowS + 60) * 1000) };
  expect(await verify(await sign(good))).toEqual({ ok: true, session });
  expect(await verify(await sign(good, { typ: 'JWT' }))).toEqual({ ok: true, session });
  expect(await verify(await sign({ ...good, act: { sub: 'user_boss' } }))).toEqual({ ok: true, session: { ...session, impersonatorId: 'user_boss' } });
});

const wrong: [string, string, () => JWTPayload][] = [
  ['of another issuer', 'WRONG_PARTY', () => ({ ...good, iss: 'https://evil.example.com' })],
  ['without an issuer', 'WRONG_PARTY', () => without('iss')],
  ['for another audience', 'WRONG_PARTY', () => ({ ...good, aud: 'https://other.example.com' })],
  ['without an audience', 'WRONG_PARTY', () => without('aud')],
  ['of another authorized party', 'WRONG_PARTY', () => ({ ...good, azp: 'https://evil.example.com' })],
  ['without an authorized party', 'WRONG_PARTY', () => without('azp')],
  ['that expired six seconds ago', 'EXPIRED', () => ({ ...good, exp: nowS - 6 })],
  ['without an expiry', 'NOT_A_SESSION', () => without('exp')],
  ['that is not valid yet', 'NOT_A_SESSION', () => ({ ...good, nbf: nowS + 60 })],
  ['without a session', 'NOT_A_SESSION', () => without('sid')],
  ['whose session id is none', 'NOT_A_SESSION', () => ({ ...good, sid: 'client_1' })],
  ['without a subject', 'NOT_A_SESSION', () => without('sub')],
  ['whose subject is no person', 'NOT_A_SESSION', () => ({ ...good, sub: 'mch_1' })],
  ['of a pending session', 'PENDING', () => ({ ...good, sts: 'pending' })],
  ['that does not say that its session is active', 'PENDING', () => without('sts')],
  ['in which somebody acts who is not named', 'NOT_A_SESSION', () => ({ ...good, act: {} })],
];

test.each(wrong)('a token %s is refused: %s', async (_what, reason, claims) => {
  expect(await verify(await sign(claims()))).toEqual({ ok: false, reason });
});

test('an unsigned token is refused, and so is one of another algorithm, key or kind', async () => {
  const unsigned = new UnsecuredJWT(good).encode();
  expect(await verify(unsigned)).toEqual({ ok: false, reason: 'BAD_SIGNATURE' });
  const symmetric = await new SignJWT(good).setProtectedHeader({ alg: 'HS256', kid: 'k1' }).sign(new TextEncoder().encode('x'.repeat(64)));
  expect(await verify(symmetric)).toEqual({ ok: false, reason: 'BAD_SIGNATURE' });
  expect(await verify(await sign(good, { key: foreign.privateKey }))).toEqual({ ok: false, reason: 'BAD_SIGNATURE' });
  expect(await verify(await sign(good, { kid: 'unknown' }))).toEqual({ ok: false, reason: 'BAD_SIGNATURE' });
  expect(await verify(await sign(good, { typ: 'at+jwt' }))).toEqual({ ok: false, reason: 'NOT_A_SESSION' });
});

test('a token whose claims were changed after signing is refused', async () => {
  const [header, , signature] = (await sign(good)).split('.');
  const changed = Buffer.from(JSON.stringify({ ...good, sub: 'user_2' })).toString('base64url');
  expect(await verify(`${header}.${changed}.${signature}`)).toEqual({ ok: false, reason: 'BAD_SIGNATURE' });
});

test('unknown key ids make it look for new keys once a second, not each time', async () => {
  const before = fetches;
  const token = await sign(good, { kid: 'other' });
  await Promise.all(Array.from({ length: 50 }, () => verify(token)));
  expect(fetches - before).toBeLessThanOrEqual(1);
});
