import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from 'jose';
import { agreed, type ClockCheck } from '../../kit/compared-clock.ts';
import type { IdpSession, VerifyResult } from '../../ports/identity-provider.ts';

export interface TokenRules {
  issuer: string;
  audience: string;
  authorizedParties: readonly string[];
  /** The provider's public keys, as it publishes them. */
  readKeys(): Promise<JSONWebKeySet>;
  machine?: ClockCheck;
}

/** Tolerated difference between two clocks. */
const clockToleranceS = 5;
/** A token with an unknown key id causes keys to be fetched, at most once in this time. */
const refetchEveryMs = 1_000;

/** Verifies tokens with cached keys. The keys are fetched again when a token names an unknown key. */
export function createTokenVerifier(rules: TokenRules): (token: string) => Promise<VerifyResult> {
  const { machine = agreed } = rules;
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
      // The algorithm is fixed, since a token that may choose it can choose none.
      const { payload, protectedHeader } = await jwtVerify(token, keyOf, {
        algorithms: ['RS256'],
        issuer: rules.issuer,
        audience: rules.audience,
        clockTolerance: clockToleranceS,
        currentDate: machine.passed(),
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

/** Checks what a signature does not prove: the party, the user and session, the session status, the impersonator. */
function sessionOf(claims: JWTPayload, { authorizedParties }: TokenRules): VerifyResult {
  const { sub = '', sid, azp, sts, act, exp = 0, mfa } = claims;
  if (typeof azp !== 'string' || !authorizedParties.includes(azp)) return { ok: false, reason: 'WRONG_PARTY' };
  if (!sub.startsWith('user_') || typeof sid !== 'string' || !sid.startsWith('sess_'))
    return { ok: false, reason: 'NOT_A_SESSION' };
  if (sts !== 'active') return { ok: false, reason: 'PENDING' };
  const session: IdpSession = {
    userId: sub,
    sessionId: sid,
    expiresAt: new Date(exp * 1000),
    ...(typeof mfa === 'boolean' && { hasSecondFactor: mfa }),
  };
  if (act === undefined) return { ok: true, session };
  const actor: unknown = typeof act === 'object' && act !== null && 'sub' in act ? act.sub : undefined;
  // An impersonated session without its impersonator is refused: its changes could not be attributed.
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
