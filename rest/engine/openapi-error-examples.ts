import type { Problem } from '../surfaces.ts';

export const exampleRequestId = 'req_k3J9x0mQ2vT7a1Zc';

/** One example of each error status that a client must handle. */
export const errorExamples: Readonly<Record<string, Omit<Problem, 'status'>>> = {
  400: {
    code: 'INPUT_PARSE_ERROR',
    message: 'The request is not valid: pageSize must be a whole number from 1 to 100.',
    data: { issues: [{ path: 'pageSize', message: 'must be a whole number from 1 to 100' }] },
  },
  401: { code: 'NOT_AUTHORIZED', message: 'The API key is unknown, revoked or expired.', data: {} },
  403: {
    code: 'FORBIDDEN',
    message: 'This is not open to a sub-key. It takes a partner key.',
    data: { reason: 'forbidden_scope' },
  },
  404: { code: 'NOT_FOUND', message: 'There is no such customer.', data: {} },
  409: {
    code: 'CONFLICT',
    message: 'This Idempotency-Key was used with another body: take a new key for a new request.',
    data: { reason: 'idempotency_key_reused' },
  },
  413: {
    code: 'PAYLOAD_TOO_LARGE',
    message: 'The body is larger than 1048576 bytes.',
    data: { issues: [{ path: '', message: 'The body is larger than 1048576 bytes.' }] },
  },
  415: {
    code: 'UNSUPPORTED_MEDIA_TYPE',
    message: 'A body must be JSON: send the header "Content-Type: application/json".',
    data: { issues: [{ path: '', message: 'A body must be JSON: send the header "Content-Type: application/json".' }] },
  },
  429: { code: 'TOO_MANY_REQUESTS', message: 'Too many requests: try again in 3 s.', data: { retryAfter: 3 } },
  500: {
    code: 'INTERNAL_SERVER_ERROR',
    message: 'Something went wrong on our side. Quote the request id when you ask us about it.',
    data: { requestId: exampleRequestId },
  },
  503: {
    code: 'SERVICE_UNAVAILABLE',
    message: 'Unavailable for a moment: nothing was done. Try again in 2 s.',
    data: { retryAfter: 2, effect: 'none' },
  },
};
