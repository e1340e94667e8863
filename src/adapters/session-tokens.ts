import { createPublicKey } from 'node:crypto';
import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from 'jose';
import { type ClockCheck, clockFault, uncheckedClock } from '../lib/clock.ts';
import { IdpError, type IdpSession, type SessionFailure, type VerifyResult } from '../ports/identity-provider.ts';

export interface TokenRules {
  issuer: string;
  /** Undefined for a provider whose tokens have none. */
  audience?: string;
  authorizedParties: readonly string[];
  /** The public key as PEM; null to look keys up by their id. */
  jwtKey?: string | null;
  /** The provider's public keys, as it publishes them. */
  readKeys(): Promise<JSONWebKeySet>;
  machine?: ClockCheck;
  /** Whether another system issues the tokens, with a clock and keys of its own. */
  isHosted?: boolean;
}

/** Tolerated difference between two clocks. */
const clockToleranceS = 5;
/** A token with an unknown key id causes keys to be fetched, at most once in this time. */
const refetchEveryMs = 1_000;
/** Keys of a hosted provider are used for this time, and longer while it is unavailable. */
const keysKeptMs = 300_000;

/** Verifies session tokens: signature, algorithm, issuer, audience and times by jose, the rest in `sessionOf`. */
export function createTokenVerifier(rules: TokenRules): (token: string) => Promise<VerifyResult> {
  const { isHosted = false, machine = uncheckedClock } = rules;
  const find = createKeys(rules);
  const keyOf: JWTVerifyGetKey = async (header, token) => {
    const key = await find(header, token);
    // While this server's clock is off, a session of another system is neither accepted nor rejected.
    const fault = isHosted ? clockFault(machine.aheadMs()) : null;
    if (fault !== null) throw new IdpError('UNAVAILABLE', fault);
    return key;
  };

  return async (token) => {
    const now = machine.earliest();
    try {
      // The algorithm is fixed: a token that could choose it could choose `none`.
      const { payload, protectedHeader } = await jwtVerify(token, keyOf, {
        algorithms: ['RS256'],
        issuer: rules.issuer,
        ...(rules.audience !== undefined && { audience: rules.audience }),
        clockTolerance: clockToleranceS,
        currentDate: now,
        requiredClaims: ['sub', 'sid', 'exp', 'iat'],
      });
      const { iat = 0 } = payload;
      const isEarly = isHosted && iat > now.getTime() / 1000 + clockToleranceS;
      if (isEarly || (protectedHeader.typ !== undefined && protectedHeader.typ.toUpperCase() !== 'JWT'))
        return { ok: false, reason: 'NOT_A_SESSION' };
      return sessionOf(payload, rules);
    } catch (error) {
      return { ok: false, reason: reasonOf(error) };
    }
  };
}

/** Checks what a signature does not prove: the party, the user and session, the session status, the impersonator. */
function sessionOf(claims: JWTPayload, { authorizedParties, isHosted }: TokenRules): VerifyResult {
  const { sub, sid, azp, sts, act, exp = 0, mfa } = claims;
  if (typeof azp !== 'string' || !authorizedParties.includes(azp)) return { ok: false, reason: 'WRONG_PARTY' };
  if (typeof sub !== 'string' || !sub.startsWith('user_') || typeof sid !== 'string' || !sid.startsWith('sess_'))
    return { ok: false, reason: 'NOT_A_SESSION' };
  // Older tokens of a hosted provider lack the status; with any other value, steps of the sign-in are still missing.
  if (sts !== 'active' && !(isHosted && sts === undefined)) return { ok: false, reason: 'PENDING' };
  const session: IdpSession = {
    userId: sub,
    sessionId: sid,
    expiresAt: new Date(exp * 1000),
    ...(typeof mfa === 'boolean' && !isHosted && { hasSecondFactor: mfa }),
    secondFactorAt: isHosted ? factorTimeOfAge(claims) : dateOrNull(claims['mfa_at']),
  };
  if (act === undefined) return { ok: true, session };
  const actor: unknown = typeof act === 'object' && act !== null && 'sub' in act ? act.sub : undefined;
  // An impersonated session without its impersonator is rejected: its changes could not be attributed.
  return typeof actor === 'string' && actor !== ''
    ? { ok: true, session: { ...session, impersonatorId: actor } }
    : { ok: false, reason: 'NOT_A_SESSION' };
}

/** A hosted provider tells how many whole minutes ago each factor was verified when it issued the token, -1 for never. */
function factorTimeOfAge({ iat = 0, fva }: JWTPayload): Date | null {
  const minutes: unknown = Array.isArray(fva) ? fva[1] : undefined;
  return typeof minutes === 'number' && minutes >= 0 ? dateOrNull(iat - minutes * 60) : null;
}

function dateOrNull(seconds: unknown): Date | null {
  return typeof seconds === 'number' ? new Date(seconds * 1000) : null;
}

function reasonOf(error: unknown): SessionFailure {
  if (error instanceof errors.JWTExpired) return 'EXPIRED';
  if (error instanceof errors.JWTClaimValidationFailed)
    return ['iss', 'aud'].includes(error.claim) ? 'WRONG_PARTY' : 'NOT_A_SESSION';
  if (
    error instanceof errors.JWSSignatureVerificationFailed ||
    error instanceof errors.JWKSNoMatchingKey ||
    error instanceof errors.JOSEAlgNotAllowed
  )
    return 'BAD_SIGNATURE';
  if (error instanceof errors.JOSEError) return 'NOT_A_SESSION';
  throw error;
}

/** Finds the key of a token among cached keys. They are fetched again when a token names an unknown key. */
function createKeys({ jwtKey = null, readKeys, isHosted }: TokenRules): JWTVerifyGetKey {
  if (jwtKey !== null) {
    const given = createPublicKey(jwtKey);
    return async () => given;
  }
  let known: JWTVerifyGetKey | undefined;
  let fetchedAt = 0;
  let triedAt = Number.NEGATIVE_INFINITY;
  let last: Promise<JWTVerifyGetKey>;

  async function read(): Promise<JWTVerifyGetKey> {
    const at = performance.now();
    known = createLocalJWKSet(await readKeys());
    fetchedAt = at;
    return known;
  }
  function fetchKeys(): Promise<JWTVerifyGetKey> {
    const now = performance.now();
    if (now - triedAt > refetchEveryMs) {
      triedAt = now;
      last = read();
    }
    return last;
  }
  async function current(): Promise<JWTVerifyGetKey> {
    if (known && !(isHosted && performance.now() - fetchedAt > keysKeptMs)) return known;
    try {
      return await fetchKeys();
    } catch (error) {
      if (known && error instanceof IdpError) return known;
      throw error;
    }
  }

  return async (header, token) => {
    try {
      return await (await current())(header, token);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
      return (await fetchKeys())(header, token);
    }
  };
}
