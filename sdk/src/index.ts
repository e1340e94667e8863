import type { components } from './openapi.ts';
import { sign, unwrap } from './webhooks.ts';

export type { Answered, ApiCall, RateLimit } from './call.ts';
export {
  ConfigurationError,
  ConflictError,
  ConnectionError,
  type ErrorCode,
  type ErrorReason,
  ForbiddenError,
  InvalidInputError,
  type Issue,
  NotAuthorizedError,
  NotFoundError,
  PlatformError,
  RateLimitedError,
  ServerError,
  TimeoutError,
  WebhookSignatureError,
  WrongAddressError,
  WrongModeError,
} from './errors.ts';
export type { Mode } from './mode.ts';
export type { components, operations } from './openapi.ts';
export type { CallOptions, ClientOptions, LogEntry } from './options.ts';
export type { ListCall, Page } from './pages.ts';
export {
  type LivePlatform,
  Platform,
  type PlatformOptions,
  type RequestOptions,
  type TestPlatform,
} from './platform.ts';
export type { Reference } from './surface.ts';
export type { WaitOptions } from './wait.ts';
export type { WebhookEvent, WebhookEventOf, WebhookHeaders } from './webhooks.ts';

/** Verifies and signs events without a client: a receiver needs no API key. */
export const webhooks = { unwrap, sign } as const;

/** The types of the API by name, such as `Schema<'Payment'>`. */
export type Schema<Name extends keyof components['schemas']> = components['schemas'][Name];
