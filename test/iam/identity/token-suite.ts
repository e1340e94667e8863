import { exportJWK, generateKeyPair, type JSONWebKeySet, type JWTPayload, SignJWT, UnsecuredJWT } from 'jose';
import { beforeAll, describe, expect, test } from 'vitest';
import type { VerifyResult } from '../../../src/ports/identity-provider.ts';

export const issuer = 'https://pay.example.com';

export type Verify = (token: string) => Promise<VerifyResult>;
/** The defect, the reason in the log, and the claims derived from valid ones. */
export type WrongToken = [string, string, (good: JWTPayload) => JWTPayload];

export function without(claims: JWTPayload, name: string): JWTPayload {
  return Object.fromEntries(Object.entries(claims).filter(([key]) => key !== name));
}

/** The requirements for every provider's tokens, plus the defects only one provider rejects. */
export function tokenSuite(
  name: string,
  open: (readKeys: () => Promise<JSONWebKeySet>) => Verify,
  own: readonly WrongToken[],
): void {
  describe(`a token of the identity provider ${name}`, () => {
    const nowS = Math.floor(Date.now() / 1000);
    const good: JWTPayload = {
      iss: issuer,
      aud: issuer,
      azp: issuer,
      sub: 'user_1',
      sid: 'sess_1',
      sts: 'active',
      v: 2,
      iat: nowS,
      exp: nowS + 3_600,
    };

    type Keys = Awaited<ReturnType<typeof generateKeyPair>>;
    let ours: Keys;
    let foreign: Keys;
    let verify: Verify;
    let fetches = 0;

    beforeAll(async () => {
      ours = await generateKeyPair('RS256', { extractable: true });
      foreign = await generateKeyPair('RS256');
      const keys = [{ ...(await exportJWK(ours.publicKey)), kid: 'k1', alg: 'RS256' }];
      verify = open(async () => (fetches++, { keys }));
    });

    const sign = (
      claims: JWTPayload,
      { kid = 'k1', typ, key = ours.privateKey }: { kid?: string; typ?: string; key?: Keys['privateKey'] } = {},
    ) => new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid, ...(typ !== undefined && { typ }) }).sign(key);

    test('a token of a session is valid, also with typ JWT, and names the impersonator', async () => {
      const expiresAt = new Date((nowS + 3_600) * 1000);
      const session = { userId: 'user_1', sessionId: 'sess_1', expiresAt, secondFactorAt: null };
      expect(await verify(await sign(good))).toEqual({ ok: true, session });
      expect(await verify(await sign(good, { typ: 'JWT' }))).toEqual({ ok: true, session });
      expect(await verify(await sign({ ...good, act: { sub: 'user_boss' } }))).toEqual({
        ok: true,
        session: { ...session, impersonatorId: 'user_boss' },
      });
    });

    const wrong: WrongToken[] = [
      ['of another issuer', 'WRONG_PARTY', (good) => ({ ...good, iss: 'https://evil.example.com' })],
      ['without an issuer', 'WRONG_PARTY', (good) => without(good, 'iss')],
      ['of another authorized party', 'WRONG_PARTY', (good) => ({ ...good, azp: 'https://evil.example.com' })],
      ['without an authorized party', 'WRONG_PARTY', (good) => without(good, 'azp')],
      ['that expired six seconds ago', 'EXPIRED', (good) => ({ ...good, exp: nowS - 6 })],
      ['without an expiry', 'NOT_A_SESSION', (good) => without(good, 'exp')],
      ['that is not valid yet', 'NOT_A_SESSION', (good) => ({ ...good, nbf: nowS + 3_600 })],
      ['without a session', 'NOT_A_SESSION', (good) => without(good, 'sid')],
      ['whose session id is none', 'NOT_A_SESSION', (good) => ({ ...good, sid: 'client_1' })],
      ['without a subject', 'NOT_A_SESSION', (good) => without(good, 'sub')],
      ['whose subject is no person', 'NOT_A_SESSION', (good) => ({ ...good, sub: 'mch_1' })],
      ['of a pending session', 'PENDING', (good) => ({ ...good, sts: 'pending' })],
      ['with an actor that is not named', 'NOT_A_SESSION', (good) => ({ ...good, act: {} })],
      ...own,
    ];

    test.each(wrong)('a token %s is rejected: %s', async (_what, reason, claims) => {
      expect(await verify(await sign(claims(good)))).toEqual({ ok: false, reason });
    });

    test('an unsigned token, and one of another algorithm, key or kind, is rejected', async () => {
      const unsigned = new UnsecuredJWT(good).encode();
      expect(await verify(unsigned)).toEqual({ ok: false, reason: 'BAD_SIGNATURE' });
      const symmetric = await new SignJWT(good)
        .setProtectedHeader({ alg: 'HS256', kid: 'k1' })
        .sign(new TextEncoder().encode('x'.repeat(64)));
      expect(await verify(symmetric)).toEqual({ ok: false, reason: 'BAD_SIGNATURE' });
      expect(await verify(await sign(good, { key: foreign.privateKey }))).toEqual({
        ok: false,
        reason: 'BAD_SIGNATURE',
      });
      expect(await verify(await sign(good, { kid: 'unknown' }))).toEqual({ ok: false, reason: 'BAD_SIGNATURE' });
      expect(await verify(await sign(good, { typ: 'at+jwt' }))).toEqual({ ok: false, reason: 'NOT_A_SESSION' });
    });

    test('a token whose claims were changed after signing is rejected', async () => {
      const [header, , signature] = (await sign(good)).split('.');
      const changed = Buffer.from(JSON.stringify({ ...good, sub: 'user_2' })).toString('base64url');
      expect(await verify(`${header}.${changed}.${signature}`)).toEqual({ ok: false, reason: 'BAD_SIGNATURE' });
    });

    test('calls before the keys are known fetch them once, and are all decided by them', async () => {
      const keys = [{ ...(await exportJWK(ours.publicKey)), kid: 'k1', alg: 'RS256' }];
      let reads = 0;
      const fresh = open(async () => (reads++, { keys }));
      const token = await sign(good);
      const results = await Promise.all(Array.from({ length: 20 }, () => fresh(token)));
      expect(results.filter(({ ok }) => !ok)).toEqual([]);
      expect(reads).toBe(1);
    });

    test('unknown key ids cause one fetch of keys a second at most', async () => {
      const before = fetches;
      const token = await sign(good, { kid: 'other' });
      await Promise.all(Array.from({ length: 50 }, () => verify(token)));
      expect(fetches - before).toBeLessThanOrEqual(1);
    });
  });
}
