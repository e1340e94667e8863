import { type GraphQLInputType, getNamedType, isInputObjectType } from 'graphql';
import { restDescriptionOf } from '../../src/graph/plugins.ts';
import { conflictReasons, errorCodes, forbiddenReasons } from '../../src/lib/errors.ts';
import type { Endpoint } from '../engine/endpoint.ts';
import type { Problem, Surface } from '../engine/surfaces.ts';
import { passedArguments } from './inputs.ts';
import type { JsonSchema } from './schemas.ts';

const exampleRequestId = 'req_k3J9x0mQ2vT7a1Zc';

/** One example of each error status that a client must handle. */
const errorExamples: Readonly<Record<string, Omit<Problem, 'status'>>> = {
  400: {
    code: 'INPUT_PARSE_ERROR',
    message: 'The request is not valid: pageSize must be a whole number from 1 to 100.',
    data: { issues: [{ path: 'pageSize', message: 'must be a whole number from 1 to 100' }] },
  },
  401: { code: 'NOT_AUTHORIZED', message: 'The API key is unknown, revoked or expired.', data: {} },
  403: {
    code: 'FORBIDDEN',
    message: 'Not available to a sub-key. Requires a partner key.',
    data: { reason: 'forbidden_scope' },
  },
  404: { code: 'NOT_FOUND', message: 'Customer not found.', data: {} },
  409: {
    code: 'CONFLICT',
    message: 'This Idempotency-Key was used with a different request. Use a new key for a new request.',
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
    message: 'Internal error. Contact support with the Request-Id.',
    data: { requestId: exampleRequestId },
  },
  503: {
    code: 'SERVICE_UNAVAILABLE',
    message: 'Temporarily unavailable. No changes were made. Try again in 2 s.',
    data: { retryAfter: 2, effect: 'none' },
  },
};

export const responseHeaders: JsonSchema = {
  'Request-Id': {
    description: 'The id of the request. A `Request-Id` that you send is used if it matches `[A-Za-z0-9_-]{8,64}`.',
    schema: { type: 'string' },
    example: exampleRequestId,
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

/** The name of the error of a surface. */
const errorName = ({ name }: Surface): string =>
  ({ public: 'ApiError', plugins: 'PluginError', iam: 'IamError' })[name];

/** The error responses of a surface as components, such as `ApiError404`. */
export function errorResponses(surface: Surface, statuses: ReadonlySet<string>): [string, JsonSchema][] {
  return [...statuses].sort().map((status) => {
    const example = errorExamples[status];
    return [
      `${errorName(surface)}${status}`,
      {
        description: meaningsOf(surface)[status],
        headers: headerRefs(
          'Request-Id',
          ...(status === '429' ? ['Retry-After', 'RateLimit', 'RateLimit-Policy'] : []),
          ...(status === '503' ? ['Retry-After'] : []),
        ),
        content: {
          'application/json': {
            schema: { $ref: `#/components/schemas/${errorName(surface)}` },
            ...(example && { example: surface.errorBody({ status: Number(status), ...example }) }),
          },
        },
      },
    ];
  });
}

/** The meaning of each error status on a surface. */
function meaningsOf({ name, credential }: Surface): Readonly<Record<string, string>> {
  const caller = credential === 'session' ? 'person' : 'key';
  const place = { public: 'data.reason', plugins: 'issues[].reason', iam: 'message' }[name];
  const invalid = 'The body or a value is invalid. Every invalid field is listed.';
  return {
    400: invalid,
    401:
      credential === 'session'
        ? 'No user is signed in: the session is missing, unknown or ended.'
        : 'The key is missing, malformed, unknown, revoked or expired.',
    403: `The ${caller} is not permitted to do this. \`${place}\` contains the reason.`,
    404: `The object does not exist, or is not visible to this ${caller}.`,
    409: `The request conflicts with the current state. \`${place}\` contains the reason.`,
    410: 'The object existed and has expired.',
    413: 'The body is too large.',
    415: 'The body is not JSON in UTF-8.',
    422: invalid,
    429: 'Too many requests. `Retry-After` contains the number of seconds to wait.',
    500: 'An internal error. Include the request id when you contact support.',
    503:
      'A dependency of the platform is temporarily unavailable. Repeat the call after `Retry-After` seconds; a ' +
      'change that may have been done, with the same `Idempotency-Key`. The message says which it is.',
  };
}

/**
 * The statuses of the errors of an endpoint. Most follow from its inputs; those of its own rules are named in the
 * descriptions of its root field and its inputs.
 */
export function errorStatuses(endpoint: Endpoint, surface: Surface): string[] {
  const { isMutation, isProbe, pathParams, queryParams, variables, method, body } = endpoint;
  const hasBody = method === 'POST' || method === 'PUT';
  const takesInput = variables.length > 0 || isMutation;
  const namesObject = pathParams.length > 0 || (isMutation && variables.some(({ type }) => containsId(type)));
  const found = [
    ...(takesInput || queryParams.length > 0 || (hasBody && body.fields.size > 0)
      ? [String(surface.invalidStatus)]
      : []),
    '401',
    ...(isProbe ? [] : ['403']),
    ...(namesObject ? ['404'] : []),
    ...(isMutation ? ['409'] : []), // of the Idempotency-Key
    ...(hasBody ? ['413', '415'] : []),
    '429',
    '500',
    '503',
    // The description of a probe names those of the change.
    ...(isProbe ? [] : descriptionsOf(endpoint)).flatMap((text) => namedStatuses(text, surface)),
  ];
  return [...new Set(found)].sort();
}

export function errorRefs(surface: Surface, statuses: readonly string[]): JsonSchema {
  return Object.fromEntries(
    statuses.map((status) => [status, { $ref: `#/components/responses/${errorName(surface)}${status}` }]),
  );
}

/** IAM returns 422 where the descriptions of the graph say 400. */
function descriptionsOf(endpoint: Endpoint): (string | null | undefined)[] {
  return [restDescriptionOf(endpoint.field), ...passedArguments(endpoint).map(({ description }) => description)];
}

function namedStatuses(description: string | null | undefined, surface: Surface): string[] {
  return (description?.match(/\b4[012]\d\b/g) ?? []).map((status) =>
    status === '400' ? String(surface.invalidStatus) : status,
  );
}

function containsId(type: GraphQLInputType, seen = new Set<string>()): boolean {
  const named = getNamedType(type);
  if (!isInputObjectType(named)) return named.name === 'ID';
  if (seen.has(named.name)) return false;
  seen.add(named.name);
  return Object.values(named.getFields()).some((field) => containsId(field.type, seen));
}

const issue: JsonSchema = {
  type: 'object',
  description: 'One invalid field.',
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
const code: JsonSchema = { type: 'string', enum: [...errorCodes], description: 'What went wrong, for programs.' };
const message: JsonSchema = { type: 'string', description: 'A message for people. It may change.' };
const reason: JsonSchema = {
  type: 'string',
  enum: [...forbiddenReasons, ...conflictReasons],
  description: 'The reason of a 403 or a 409, for programs.',
};

/** The schemas of the errors of these surfaces. */
export function errorSchemas(names: readonly Surface['name'][]): JsonSchema {
  return {
    ...(names.includes('public') && {
      ApiError: {
        type: 'object',
        description: 'An error.',
        properties: {
          code,
          message,
          data: {
            type: 'object',
            description: 'Details of the error.',
            properties: {
              issues: { type: 'array', items: { $ref: '#/components/schemas/ErrorIssue' }, description: 'With 400.' },
              reason,
              requestId: { type: 'string', description: 'With 500: the id of the request.' },
              retryAfter: { type: 'integer', description: 'With 429 and 503: the number of seconds to wait.' },
              effect: {
                type: 'string',
                enum: ['none', 'unknown'],
                description: 'With 503: `none` if nothing was done; `unknown` if the call may have been done.',
              },
            },
            additionalProperties: true,
          },
        },
        required: ['code', 'message', 'data'],
      },
    }),
    ...(names.includes('plugins') && {
      PluginError: {
        type: 'object',
        description: 'An error of the plugin endpoints.',
        properties: {
          message,
          code,
          issues: {
            type: 'array',
            minItems: 1,
            items: { $ref: '#/components/schemas/ErrorIssue' },
            description: 'The invalid fields. If no field is invalid, one issue with the reason.',
          },
        },
        required: ['message', 'code', 'issues'],
      },
    }),
    ...(names.includes('iam')
      ? {
          IamError: {
            type: 'object',
            description: 'An error.',
            properties: { code: { ...code, enum: [...errorCodes, 'UNPROCESSABLE_CONTENT'] }, message },
            required: ['code', 'message'],
          },
        }
      : { ErrorIssue: issue }),
  };
}
