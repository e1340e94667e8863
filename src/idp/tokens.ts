import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from 'jose';
import type { IdpSession, VerifyResult } from '../ports/identity-provider.ts';

export interface TokenRules {
  issuer: string;
  audience: string;
  authorizedParties: readonly string[];
  /** The provider's public keys, as it publishes them. */
  readKeys(): Promise<JSONWebKeySet>;
}

/** How far two clocks may differ. */
const clockToleranceS = 5;
/** A token with an unknown key id makes us look for new keys, and so often a stranger may make us. */
const refetchEveryMs = 1_000;

/** Checks tokens without asking anybody: the keys are kept and looked up anew when a token names one that is not among them. */
export function createTokenVerifier(rules: TokenRules): (token: string) => Promise<VerifyResult> {
  let known: JWTVerifyGetKey | undefined;
  let fetchedAt = 0;

  async function fetchKeys(): Promise<JWTVerifyGetKey> {
    fetchedAt = performance.now();
    known = createLocalJWKSet(await rules.readKeys());
    return known;
  }

  const keyOf: JWTVerifyGetKey = async (header, token) => {
    try {
      return await (known ?? (await fetchKeys()))(header, token);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey) || performance.now() - fetchedAt < refetchEveryMs) throw error;
      return (await fetchKeys())(header, token);
    }
  };

  return async (token) => {
    try {
      // Named here, since a token that may choose its algorithm chooses none.
      const { payload, protectedHeader } = await jwtVerify(token, keyOf, {
        algorithms: ['RS256'],
        issuer: rules.issuer,
        audience: rules.audience,
        clockTolerance: clockToleranceS,
        requiredClaims: ['sub', 'sid', 'exp', 'iat'],
      });
      if (protectedHeader.typ !== undefined && protectedHeader.typ.toUpperCase() !== 'JWT')
        return { ok: false, reason: 'NOT_A_SESSION' };
      return sessionOf(payload, rules);
    } catch (error) {
      return { ok: false, reason: reasonOf(error) };
    }
  };
}

/** What a signature does not say: whose session it is, whether it is finished, and who really sits there. */
function sessionOf(claims: JWTPayload, { authorizedParties }: TokenRules): VerifyResult {
  const { sub = '', sid, azp, sts, act, exp = 0 } = claims;
  if (typeof azp !== 'string' || !authorizedParties.includes(azp)) return { ok: false, reason: 'WRONG_PARTY' };
  if (!sub.startsWith('user_') || typeof sid !== 'string' || !sid.startsWith('sess_'))
    return { ok: false, reason: 'NOT_A_SESSION' };
  if (sts !== 'active') return { ok: false, reason: 'PENDING' };
  const session: IdpSession = { userId: sub, sessionId: sid, expiresAt: new Date(exp * 1000) };
  if (act === undefined) return { ok: true, session };
  const actor: unknown = typeof act === 'object' && act !== null && 'sub' in act ? act.sub : undefined;
  // Somebody else sits there, and it does not say who: nobody could be named for what is done.
  return typeof actor === 'string' && actor !== ''
    ? { ok: true, session: { ...session, impersonatorId: actor } }
    : { ok: false, reason: 'NOT_A_SESSION' };
}

function reasonOf(error: unknown): 'EXPIRED' | 'WRONG_PARTY' | 'BAD_SIGNATURE' | 'NOT_A_SESSION' {
  if (error instanceof errors.JWTExpired) return 'EXPIRED';
  if (error instanceof errors.JWTClaimValidationFailed)
    return ['iss', 'aud', 'azp'].includes(error.claim) ? 'WRONG_PARTY' : 'NOT_A_SESSION';
  if (
    error instanceof errors.JWSSignatureVerificationFailed ||
    error instanceof errors.JWKSNoMatchingKey ||
    error instanceof errors.JOSEAlgNotAllowed
  )
    return 'BAD_SIGNATURE';
  if (error instanceof errors.JOSEError) return 'NOT_A_SESSION';
  throw error;
}
