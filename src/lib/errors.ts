/**
 * The closed list of errors that a client may receive. Every surface (GraphQL, REST, plugins, IAM) translates only
 * these classes; any other error is a fault of the platform and is answered with one fixed message.
 */

export interface InputIssue {
  /** The path as the client wrote it: `customerData.email`, `items[0].quantity`. Empty for the body as a whole. */
  path: string;
  /** What is wrong and what would be right. */
  message: string;
  /** A machine-readable reason besides the message, for some errors. */
  reason?: string;
}

/** The codes of errors. Programs read them. */
export const errorCodes = [
  'INPUT_PARSE_ERROR',
  'NOT_AUTHORIZED',
  'FORBIDDEN',
  'NOT_FOUND',
  'PAYMENT_NOT_FOUND',
  'CONFLICT',
  'GONE',
  'TOO_MANY_REQUESTS',
  'METHOD_NOT_ALLOWED',
  'REQUEST_TIMEOUT',
  'PAYLOAD_TOO_LARGE',
  'HEADERS_TOO_LARGE',
  'MISDIRECTED_REQUEST',
  'UNSUPPORTED_MEDIA_TYPE',
  'INTERNAL_SERVER_ERROR',
  'SERVICE_UNAVAILABLE',
] as const;
export type ErrorCode = (typeof errorCodes)[number];

export type ErrorData = Readonly<Record<string, unknown>>;

/** An error whose message is written for the client. `log` is logged and not returned to clients. */
export abstract class DomainError extends Error {
  abstract readonly status: number;
  readonly code: ErrorCode;
  readonly data: ErrorData;
  readonly log: ErrorData | undefined;
  /** Additional headers of the answer. */
  readonly headers: Readonly<Record<string, string>> = {};

  constructor(code: ErrorCode, message: string, data: ErrorData = {}, log?: ErrorData) {
    super(message);
    this.code = code;
    this.data = data;
    this.log = log;
  }
}

/** 400 (IAM: 422): invalid shape or value. 413 and 415 are of this class with their own status. */
export class InvalidInput extends DomainError {
  readonly status: number;
  readonly issues: readonly InputIssue[];

  constructor(
    issues: readonly InputIssue[],
    message = sentenceOf(issues),
    code: ErrorCode = 'INPUT_PARSE_ERROR',
    status = 400,
  ) {
    super(code, message, { issues });
    this.issues = issues;
    this.status = status;
  }
}

/** 401: credential missing, malformed, unknown, revoked, expired, or of the wrong kind for this surface. */
export class NotAuthorized extends DomainError {
  readonly status = 401;
  override readonly headers = { 'WWW-Authenticate': 'Bearer' };

  constructor(
    message = 'A valid API key is required: send the header "Authorization: Bearer <API_KEY>".',
    log?: ErrorData,
  ) {
    super('NOT_AUTHORIZED', message, {}, log);
  }
}

/** The reasons of the access policy, as probes, 403 and 409 report them (docs/contract/19-iam.md). */
export type PolicyReason =
  | 'caller_lacks_role'
  | 'self_assignment_forbidden'
  | 'role_not_assignable'
  | 'role_requires_partner_scope'
  | 'other_partner'
  | 'target_not_found'
  | 'target_in_other_partner'
  | 'target_is_internal_staff'
  | 'target_is_org_owner'
  | 'email_not_invitable'
  | 'already_on_roster'
  | 'partner_offboarded'
  | 'partner_not_found'
  | 'scope_change_not_allowed';

/** All reasons of access errors: those of the policy, and those of the operations themselves. */
type AccessReason =
  | PolicyReason
  | 'origin_not_allowed'
  | 'session_of_another_user'
  | 'impersonated_session'
  | 'slug_taken'
  | 'membership_not_active'
  | 'last_superadmin'
  | 'second_factor_required'
  | 'second_factor_too_old'
  | 'no_second_factor'
  | 'not_offered_by_provider'
  | 'second_person_required'
  | 'second_person_not_independent'
  | 'not_the_requester';

/** The reasons of a 403 for callers with an API key. */
export const forbiddenReasons = [
  'forbidden_scope',
  'mode_escalation_forbidden',
  'partner_not_active',
  'account_not_active',
  'consent_missing',
  'ip_not_allowed',
  'sandbox_has_no_live_mode',
] as const;
export type ForbiddenReason = AccessReason | (typeof forbiddenReasons)[number];

/** 403: the caller is known and lacks the permission. */
export class Forbidden extends DomainError {
  readonly status = 403;

  constructor(reason: ForbiddenReason, message: string, log?: ErrorData) {
    super('FORBIDDEN', message, { reason }, log);
  }
}

/** 404: no such row for this caller, whether it exists for another caller or not. */
export class NotFound extends DomainError {
  readonly status = 404;

  constructor(message: string, code: 'NOT_FOUND' | 'PAYMENT_NOT_FOUND' = 'NOT_FOUND') {
    super(code, message);
  }
}

/** 410: the object existed and has expired. */
export class Gone extends DomainError {
  readonly status = 410;

  constructor(message: string) {
    super('GONE', message);
  }
}

/** The reasons of a 409 for callers with an API key. */
export const conflictReasons = [
  'idempotency_key_in_use',
  'idempotency_key_reused',
  'invalid_state',
  'payment_failed',
  'already_exists',
  'limit_reached',
  'connect_not_configured',
  'base_path_conflict',
] as const;
export type ConflictReason = AccessReason | (typeof conflictReasons)[number];

/** 409: the request is well formed and permitted, and conflicts with the current state. */
export class Conflict extends DomainError {
  readonly status = 409;

  constructor(reason: ConflictReason, message: string, data: ErrorData = {}) {
    super('CONFLICT', message, { reason, ...data });
  }
}

/** 429: a bucket is empty; the next call is accepted after `retryAfterS` seconds. */
export class RateLimited extends DomainError {
  readonly status = 429;
  override readonly headers: Readonly<Record<string, string>>;

  constructor(retryAfterS: number, headers: Readonly<Record<string, string>> = {}, why = 'Too many requests') {
    super('TOO_MANY_REQUESTS', `${why}: try again in ${retryAfterS} s.`, { retryAfter: retryAfterS });
    this.headers = { ...headers, 'Retry-After': String(retryAfterS) };
  }
}

/** The effect of a call that ended with 503: none, or possibly all of it. */
export type PossibleEffect = 'none' | 'unknown';

/** 503: something that the platform needs is unavailable, such as its database. The caller is not at fault. */
export class Unavailable extends DomainError {
  readonly status = 503;
  override readonly headers: Readonly<Record<string, string>> = { 'Retry-After': String(unavailableRetryAfterS) };
  readonly effect: PossibleEffect;

  constructor(effect: PossibleEffect, { hasKey, cause }: { hasKey: boolean; cause: unknown }) {
    const message =
      effect === 'none'
        ? `Temporarily unavailable. No changes were made. Try again in ${unavailableRetryAfterS} s.`
        : `Temporarily unavailable. The request may have succeeded. ${hasKey ? repeatIt : lookFirst}`;
    super('SERVICE_UNAVAILABLE', message, { retryAfter: unavailableRetryAfterS, effect });
    this.effect = effect;
    this.cause = cause;
  }
}

export const unavailableRetryAfterS = 2;
const repeatIt = `Retry with the same Idempotency-Key in ${unavailableRetryAfterS} s.`;
const lookFirst = 'Check before retrying.';

/** 503: this server has no room for the call. Nothing was done, and the caller has reached no limit of its own. */
export class Overloaded extends DomainError {
  readonly status = 503;
  override readonly headers: Readonly<Record<string, string>>;

  constructor(retryAfterS = unavailableRetryAfterS) {
    const message = `The server is overloaded. No changes were made. Try again in ${retryAfterS} s.`;
    super('SERVICE_UNAVAILABLE', message, { retryAfter: retryAfterS, effect: 'none' satisfies PossibleEffect });
    this.headers = { 'Retry-After': String(retryAfterS) };
  }
}

/** An error of one field, the most common case. */
export function invalid(path: string, message: string, reason?: string): InvalidInput {
  return new InvalidInput([reason === undefined ? { path, message } : { path, message, reason }]);
}

function sentenceOf(issues: readonly InputIssue[]): string {
  return (
    'The request is not valid: ' +
    `${issues.map((issue) => (issue.path === '' ? issue.message : `${issue.path} ${issue.message}`)).join('; ')}.`
  );
}
