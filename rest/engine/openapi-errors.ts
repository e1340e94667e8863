import { type Surface } from '../surfaces.ts';
import type { JsonSchema } from './openapi-schemas.ts';

const requestId = 'req_k3J9x0mQ2vT7a1Zc';

/** One example of each status a client has to be ready for. */
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
  400: 'The shape or a value is wrong; every wrong field is named.',
  401: 'The key is missing, malformed, unknown, revoked or expired.',
  403: 'The key is known and may not do this; `data.reason` says why.',
  404: 'There is no such object for this key.',
  409: 'The present state stands against it; `data.reason` says why.',
  413: 'The body is too large.',
  415: 'The body is not JSON in UTF-8.',
  429: 'Too many requests; `Retry-After` says when the next one passes.',
  500: 'A fault of ours. Quote the request id.',
};

export const responseHeaders: JsonSchema = {
  'Request-Id': {
    description: 'Names this request in our logs. Yours comes back when it matches `[A-Za-z0-9_-]{8,64}`.',
    schema: { type: 'string' },
    example: requestId,
  },
  'Server-Timing': {
    description: 'Our own share of the time (`app`), and the whole.',
    schema: { type: 'string' },
    example: 'app;dur=4.1, total;dur=4.1',
  },
  'RateLimit-Policy': {
    description: 'The plan of the key: calls in a window of so many seconds.',
    schema: { type: 'string' },
    example: '"standard";q=100;w=60',
  },
  RateLimit: { description: 'What is left of it.', schema: { type: 'string' }, example: '"standard";r=149;t=1' },
  'Retry-After': {
    description: 'Whole seconds after which the next call passes.',
    schema: { type: 'integer', minimum: 1 },
  },
  'Ignored-Fields': {
    description: 'Top-level fields of the body that mean nothing here, sorted.',
    schema: { type: 'string' },
  },
  'Idempotent-Replayed': {
    description: '`true` when this is the stored answer of an earlier call with the same key.',
    schema: { type: 'string', enum: ['true'] },
  },
};

export function headerRefs(...names: string[]): JsonSchema {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** The error answers of a surface as components: `publicError404` and so on. */
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
      description: 'The wrong field, such as `items[0].quantity`; empty for the body as a whole.',
    },
    message: { type: 'string', description: 'What is wrong with it.' },
    reason: { type: 'string', description: 'A word for programs, where there is one.' },
  },
  required: ['message'],
};
const code: JsonSchema = {
  type: 'string',
  enum: [
    ...new Set([...Object.values(examples).map((example) => example.code), 'PAYMENT_NOT_FOUND', 'METHOD_NOT_ALLOWED']),
  ],
};
const message: JsonSchema = { type: 'string', description: 'A sentence for a person.' };

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
        description: 'Everything that is wrong, one by one; where no field is wrong, one issue that says why.',
      },
    },
    required: ['message', 'code', 'issues'],
  },
};
