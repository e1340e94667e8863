import type { components } from './openapi.ts';

export type ErrorCode = components['schemas']['ApiError']['code'];
export type ErrorReason = NonNullable<components['schemas']['ApiError']['data']['reason']>;
/** One invalid field of a request. */
export type Issue = components['schemas']['ErrorIssue'];

/** What is known of a failure. */
export interface Failure {
  status?: number;
  code?: ErrorCode;
  reason?: string;
  issues?: readonly Issue[];
  data?: Readonly<Record<string, unknown>>;
  requestId?: string;
  /** The `Idempotency-Key` of the write that failed. */
  idempotencyKey?: string;
  retryAfterMs?: number;
  cause?: unknown;
}

/** Every error that this package throws. */
export class PlatformError extends Error {
  /** The HTTP status. Undefined when there was no answer. */
  readonly status: number | undefined;
  /** The code of the platform, such as `CONFLICT`. */
  readonly code: ErrorCode | undefined;
  /** The reason of a 403 or a 409, such as `invalid_state`. */
  readonly reason: ErrorReason | (string & {}) | undefined;
  /** The invalid fields of a 400. */
  readonly issues: readonly Issue[];
  /** The details of the error, such as `paymentId` of a 409 `payment_failed`. */
  readonly data: Readonly<Record<string, unknown>>;
  /** The `Request-Id` of the answer. The log of the platform has the same. */
  readonly requestId: string | undefined;
  /** The key of a write that failed. Repeat the call under it: it has one effect, whatever became of this attempt. */
  readonly idempotencyKey: string | undefined;

  constructor(message: string, failure: Failure = {}) {
    super(message, failure.cause === undefined ? undefined : { cause: failure.cause });
    this.name = new.target.name;
    this.status = failure.status;
    this.code = failure.code;
    this.reason = failure.reason;
    this.issues = failure.issues ?? [];
    this.data = failure.data ?? {};
    this.requestId = failure.requestId;
    this.idempotencyKey = failure.idempotencyKey;
  }
}

/** 400 and 422: a field is wrong, and `issues` names each. 413: the body is too large. */
export class InvalidInputError extends PlatformError {}
/** 401: the platform does not know the key. */
export class NotAuthorizedError extends PlatformError {}
/** 403: the key may not do this. `reason` says why. */
export class ForbiddenError extends PlatformError {}
/** 404: there is no such object for this key. */
export class NotFoundError extends PlatformError {}
/** 409: the object is in another state, or the `Idempotency-Key` is in use. `reason` says which. */
export class ConflictError extends PlatformError {}
/** 429: too many requests. */
export class RateLimitedError extends PlatformError {
  /** The milliseconds to wait before the next request. */
  readonly retryAfterMs: number;

  constructor(message: string, failure: Failure = {}) {
    super(message, failure);
    this.retryAfterMs = failure.retryAfterMs ?? 0;
  }
}
/** 5xx: a fault of the platform, or of a proxy before it. */
export class ServerError extends PlatformError {}
/** The platform could not be reached, or the connection ended before the answer. */
export class ConnectionError extends PlatformError {}
/** There was no answer in time. */
export class TimeoutError extends PlatformError {}
/** What answered is not the platform: the base URL is wrong. */
export class WrongAddressError extends PlatformError {}
/** A key or an object is of the other mode. Nothing was sent. */
export class WrongModeError extends PlatformError {}
/** The client cannot be made, or the call cannot be sent, as it is written. Nothing was sent. */
export class ConfigurationError extends PlatformError {}
/** A message is not one that the platform sent to this endpoint. */
export class WebhookSignatureError extends PlatformError {}

/** The error of an answer that is not 2xx. */
export function errorOf(message: string, failure: Failure & { status: number }): PlatformError {
  const { status } = failure;
  if (status >= 500) return new ServerError(message, failure);
  const kinds: Record<number, typeof PlatformError> = {
    400: InvalidInputError,
    401: NotAuthorizedError,
    403: ForbiddenError,
    404: NotFoundError,
    408: TimeoutError,
    409: ConflictError,
    413: InvalidInputError,
    422: InvalidInputError,
    429: RateLimitedError,
  };
  return new (kinds[status] ?? PlatformError)(message, failure);
}
