/** A value that was refused, by the path of its field. */
export interface Issue {
  path: string;
  message: string;
}

/** Codes of answers that say nothing about an earlier attempt of the same call. */
const aboutTheCaller = ['NOT_AUTHORIZED', 'FORBIDDEN', 'TOO_MANY_REQUESTS', 'SERVICE_UNAVAILABLE'];

interface About {
  code: string;
  reason?: string;
  /** What a 503 says of the call: `none` if nothing was done. */
  effect?: string;
  issues?: Issue[];
  /** Seconds after which the call is accepted. */
  retryAfter?: number;
  requestId?: string | null;
}

/** An answer of the platform that is not the expected one, or none at all. */
export class Failure extends Error {
  readonly code: string;
  readonly reason: string | null;
  readonly effect: string | null;
  readonly issues: readonly Issue[];
  /** Seconds until a call is accepted, if a rate limit refused it. */
  readonly retryAfterS: number | null;
  readonly requestId: string | null;

  constructor(message: string, about: About) {
    const { code, reason = '', effect = '', issues = [], retryAfter = 0, requestId = null } = about;
    super(message);
    this.code = code;
    this.reason = reason === '' ? null : reason;
    this.effect = effect === '' ? null : effect;
    this.issues = issues;
    this.retryAfterS = code === 'TOO_MANY_REQUESTS' ? Math.max(1, retryAfter) : null;
    this.requestId = requestId;
  }

  /** Nothing tells whether the platform did what it was asked. */
  get isUnknown(): boolean {
    return (
      this.code === 'NETWORK' ||
      this.code === 'INTERNAL_SERVER_ERROR' ||
      (this.code === 'SERVICE_UNAVAILABLE' && this.effect !== 'none') ||
      this.reason === 'idempotency_key_in_use'
    );
  }

  /** Whether an earlier attempt of the same call, whose outcome is unknown, is known by this answer to have done nothing. */
  get resolvesEarlier(): boolean {
    return !this.isUnknown && !aboutTheCaller.includes(this.code) && this.reason !== 'idempotency_key_reused';
  }

  /** There is no such object for the person. Where the role may read none of the kind, that is said instead. */
  get isMissing(): boolean {
    const isHidden = this.code === 'FORBIDDEN' && this.reason !== 'caller_lacks_role' && !this.isOfAnotherUser;
    return this.code.endsWith('NOT_FOUND') || isHidden;
  }

  /** Another user has signed in with this browser since the page was opened. */
  get isOfAnotherUser(): boolean {
    return this.reason === 'session_of_another_user';
  }

  /** The person must verify the second factor again. Nothing was done. */
  get needsFreshFactor(): boolean {
    return this.reason === 'second_factor_too_old';
  }

  /** The page is of a version that the platform does not serve any more. */
  get isOutdated(): boolean {
    return this.code === 'OUTDATED' || this.issues.some(({ path }) => path === 'query');
  }

  get isSignedOut(): boolean {
    return this.code === 'NOT_AUTHORIZED';
  }
}

export function failureOf(error: unknown): Failure {
  if (error instanceof Failure) return error;
  // A file of the build that the page began with, which the platform has no more.
  if (error instanceof TypeError && /module/i.test(error.message))
    return new Failure(error.message, { code: 'OUTDATED' });
  return new Failure(error instanceof Error ? error.message : String(error), { code: 'CONSOLE' });
}
