import type { ErrorCode as Code } from '../kit/errors.ts';
import { builder } from './builder.ts';

export const ErrorCode = builder.enumType('ErrorCode', {
  description: 'What went wrong, for programs.',
  values: {
    INPUT_PARSE_ERROR: { description: 'The body or a value is invalid.' },
    NOT_AUTHORIZED: { description: 'The credential is missing, unknown, revoked or expired.' },
    FORBIDDEN: { description: 'The caller is not permitted to do this.' },
    NOT_FOUND: { description: 'There is no such object for this caller.' },
    PAYMENT_NOT_FOUND: { description: 'There is no such payment for this caller.' },
    CONFLICT: { description: 'The request conflicts with the current state.' },
    GONE: { description: 'The object existed and has expired.' },
    TOO_MANY_REQUESTS: { description: 'A rate limit is exceeded.' },
    METHOD_NOT_ALLOWED: { description: 'The path does not support the method.' },
    PAYLOAD_TOO_LARGE: { description: 'The body is too large.' },
    MISDIRECTED_REQUEST: {
      description: 'The host name is not one of this server, or the partner has moved to another cell.',
    },
    UNSUPPORTED_MEDIA_TYPE: { description: 'The body is not JSON in UTF-8.' },
    INTERNAL_SERVER_ERROR: { description: 'An internal error.' },
    SERVICE_UNAVAILABLE: { description: 'Something that the platform needs is away for a moment.' },
  } as const satisfies Record<Code, object>,
});
