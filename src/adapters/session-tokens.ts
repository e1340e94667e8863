import { createPublicKey } from 'node:crypto';
import { decodeJwt, verifyJwt } from '@clerk/backend/jwt';
import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from 'jose';
import { type ClockCheck, clockFault, uncheckedClock } from '../lib/clock.ts';
import { IdpError, type IdpSession, type SessionFailure, type VerifyResult } from '../ports/identity-provider.ts';

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
  const { machine = uncheckedClock } = rules;
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
      // The algorithm is fixed: a token that could choose it could choose `none`.
      const { payload, protectedHeader } = await jwtVerify(token, keyOf, {
        algorithms: ['RS256'],
        issuer: rules.issuer,
        audience: rules.audience,
        clockTolerance: clockToleranceS,
        currentDate: machine.earliest(),
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
  // An impersonated session without its impersonator is rejected: its changes could not be attributed.
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

export interface ClerkTokenRules {
  issuer: string;
  authorizedParties: readonly string[];
  /** The public key as PEM; null to look keys up by their id. */
  jwtKey: string | null;
  readKeys(): Promise<readonly PublicKey[]>;
  machine?: Pick<ClockCheck, 'aheadMs'>;
}

export type PublicKey = JsonWebKey & { kid: string };

type Claims = Readonly<Record<string, unknown>>;

/** Tolerated difference between two clocks. */
const clockToleranceMs = 5_000;
/** Fetched keys are used for this time, and longer while Clerk is unavailable. */
const keysKeptMs = 300_000;

/**
 * Verifies session tokens with cached keys. The vendor's library verifies signature, algorithm, times and party. This
 * function adds what it leaves open: the issuer, the session, its status, and the impersonator.
 */
export function createClerkTokenVerifier(rules: ClerkTokenRules): (token: string) => Promise<VerifyResult> {
  const keyOf = createKeys(rules);
  const { machine = uncheckedClock } = rules;
  return async (token) => {
    const header = headerOf(token);
    if (header === null) return { ok: false, reason: 'NOT_A_SESSION' };
    if (header.alg !== 'RS256') return { ok: false, reason: 'BAD_SIGNATURE' };
    const key = await keyOf(header.kid);
    if (!key) return { ok: false, reason: 'BAD_SIGNATURE' };
    // The library checks times by the clock of the process: while that is off, the session is neither accepted nor
    // rejected.
    const fault = clockFault(machine.aheadMs());
    if (fault !== null) throw new IdpError('UNAVAILABLE', fault);
    try {
      const claims = await verifyJwt(token, {
        key,
        authorizedParties: [...rules.authorizedParties],
        clockSkewInMs: clockToleranceMs,
      });
      return clerkSessionOf({ ...claims }, rules.issuer);
    } catch (error) {
      return { ok: false, reason: clerkReasonOf(error) };
    }
  };
}

/** Null for a value that cannot be a session token: it needs three readable parts, a subject and times. */
function headerOf(token: string): { alg: string; kid: string } | null {
  try {
    const { header, payload } = decodeJwt(token);
    const { sub, exp, iat } = payload as Partial<typeof payload>; // the signature is not verified yet
    return typeof sub === 'string' && typeof exp === 'number' && typeof iat === 'number'
      ? { alg: header.alg, kid: header.kid }
      : null;
  } catch {
    return null;
  }
}

function clerkSessionOf(claims: Claims, issuer: string): VerifyResult {
  const { iss, sub, sid, sts, act, exp } = claims;
  if (iss !== issuer) return { ok: false, reason: 'WRONG_PARTY' };
  if (typeof sub !== 'string' || !sub.startsWith('user_') || typeof sid !== 'string' || !sid.startsWith('sess_'))
    return { ok: false, reason: 'NOT_A_SESSION' };
  // Older tokens lack the status; with any other value, steps of the sign-in are still missing.
  if (sts !== undefined && sts !== 'active') return { ok: false, reason: 'PENDING' };
  const session: IdpSession = { userId: sub, sessionId: sid, expiresAt: new Date(Number(exp) * 1000) };
  if (act === undefined) return { ok: true, session };
  const actor: unknown = typeof act === 'object' && act !== null && 'sub' in act ? act.sub : undefined;
  // An impersonated session without its impersonator is rejected: its changes could not be attributed.
  return typeof actor === 'string' && actor !== ''
    ? { ok: true, session: { ...session, impersonatorId: actor } }
    : { ok: false, reason: 'NOT_A_SESSION' };
}

function clerkReasonOf(error: unknown): SessionFailure {
  const reason = error instanceof Error && 'reason' in error ? error.reason : undefined;
  if (reason === 'token-expired') return 'EXPIRED';
  if (reason === 'token-invalid-authorized-parties') return 'WRONG_PARTY';
  if (
    reason === 'token-invalid-signature' ||
    reason === 'token-verification-failed' ||
    reason === 'token-invalid-algorithm'
  )
    return 'BAD_SIGNATURE';
  if (reason !== undefined) return 'NOT_A_SESSION';
  throw error;
}

/** Finds the key of a token. The vendor's own lookup would call Clerk several times for every unknown key id. */
function createKeys({ jwtKey, readKeys }: ClerkTokenRules): (kid: string) => Promise<JsonWebKey | undefined> {
  if (jwtKey !== null) {
    const given: JsonWebKey = { ...createPublicKey(jwtKey).export({ format: 'jwk' }), alg: 'RS256' };
    return async () => given;
  }
  let known = new Map<string, JsonWebKey>();
  let triedAt = Number.NEGATIVE_INFINITY;
  let fetchedAt = Number.NEGATIVE_INFINITY;
  return async (kid) => {
    const now = performance.now();
    const isWanted = !known.has(kid) || now - fetchedAt > keysKeptMs;
    if (isWanted && now - triedAt > refetchEveryMs) {
      triedAt = now;
      try {
        known = new Map((await readKeys()).map((key) => [key.kid, key]));
        fetchedAt = now;
      } catch (error) {
        if (!(error instanceof IdpError) || !known.has(kid)) throw error;
      }
    }
    return known.get(kid);
  };
}
