import type { Surface } from '../surfaces.ts';
import type { JsonSchema } from './openapi-schemas.ts';

const requestId = 'req_k3J9x0mQ2vT7a1Zc';

/** One example of each error status that a client must handle. */
const examples = {
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
    data: { requestId },
  },
} as const;

const meanings: Readonly<Record<number, string>> = {
  400: 'The body or a value is invalid. Every invalid field is listed.',
  401: 'The key is missing, malformed, unknown, revoked or expired.',
  403: 'The key is not permitted to do this. `data.reason` contains the reason.',
  404: 'The object does not exist, or is not visible to this key.',
  409: 'The request conflicts with the current state. `data.reason` contains the reason.',
  413: 'The body is too large.',
  415: 'The body is not JSON in UTF-8.',
  429: 'Too many requests. `Retry-After` contains the number of seconds to wait.',
  500: 'An internal error. Include the request id when you contact support.',
};

export const responseHeaders: JsonSchema = {
  'Request-Id': {
    description: 'The id of the request. A `Request-Id` that you send is used if it matches `[A-Za-z0-9_-]{8,64}`.',
    schema: { type: 'string' },
    example: requestId,
  },
  'Server-Timing': {
    description: 'The time the platform spent itself (`app`), and the total time, in milliseconds.',
    schema: { type: 'string' },
    example: 'app;dur=4.1, total;dur=4.1',
  },
  'RateLimit-Policy': {
    description: 'The rate limit of the key: `q` requests in a window of `w` seconds.',
    schema: { type: 'string' },
    example: '"standard";q=100;w=60',
  },
  RateLimit: {
    description: 'The remaining requests (`r`), and the seconds until more are available (`t`).',
    schema: { type: 'string' },
    example: '"standard";r=149;t=1',
  },
  'Retry-After': {
    description: 'The number of seconds to wait before the next request.',
    schema: { type: 'integer', minimum: 1 },
  },
  'Ignored-Fields': {
    description: 'The unknown top-level fields of the body, sorted. Requests that change something refuse them.',
    schema: { type: 'string' },
  },
  'Idempotent-Replayed': {
    description: '`true` if this is the stored response of an earlier request with the same key.',
    schema: { type: 'string', enum: ['true'] },
  },
};

export function headerRefs(...names: string[]): JsonSchema {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** The error responses of a surface as components, for example `publicError404`. */
export function errorResponses(surface: Surface): JsonSchema {
  return Object.fromEntries(
    Object.entries(examples).map(([status, example]) => [
      `${surface.name}Error${status}`,
      {
        description: meanings[Number(status)]?.replace(
          '`data.reason`',
          surface.name === 'plugins' ? '`issues[].reason`' : '`data.reason`',
        ),
        headers: headerRefs(
          'Request-Id',
          ...(status === '429' ? ['Retry-After', 'RateLimit', 'RateLimit-Policy'] : []),
        ),
        content: {
          'application/json': {
            schema: { $ref: `#/components/schemas/${surface.name}Error` },
            example: surface.errorBody({ status: Number(status), ...example }),
          },
        },
      },
    ]),
  );
}

export function errorRefs(surface: Surface, hasBody: boolean): JsonSchema {
  const statuses = Object.keys(examples).filter((status) => hasBody || !['413', '415'].includes(status));
  return Object.fromEntries(
    statuses.map((status) => [status, { $ref: `#/components/responses/${surface.name}Error${status}` }]),
  );
}

const issue: JsonSchema = {
  type: 'object',
  properties: {
    path: {
      type: 'string',
      description: 'The path of the invalid field, such as `items[0].quantity`. Empty for the body as a whole.',
    },
    message: { type: 'string', description: 'What is wrong with the field.' },
    reason: { type: 'string', description: 'A code for programs, if there is one.' },
  },
  required: ['message'],
};
const code: JsonSchema = {
  type: 'string',
  enum: [
    ...new Set([...Object.values(examples).map((example) => example.code), 'PAYMENT_NOT_FOUND', 'METHOD_NOT_ALLOWED']),
  ],
};
const message: JsonSchema = { type: 'string', description: 'A message for people. It may change.' };

export const errorSchemas: JsonSchema = {
  publicError: {
    type: 'object',
    properties: {
      code,
      message,
      data: {
        type: 'object',
        properties: {
          issues: { type: 'array', items: issue },
          reason: { type: 'string' },
          requestId: { type: 'string' },
        },
        additionalProperties: true,
      },
    },
    required: ['code', 'message', 'data'],
  },
  pluginsError: {
    type: 'object',
    properties: {
      message,
      code,
      issues: {
        type: 'array',
        minItems: 1,
        items: issue,
        description: 'The invalid fields. If no field is invalid, one issue with the reason.',
      },
    },
    required: ['message', 'code', 'issues'],
  },
};
