import { type GraphQLInputType, getNamedType, isInputObjectType } from 'graphql';
import { conflictReasons, errorCodes, forbiddenReasons } from '../../src/kit/errors.ts';
import type { Surface } from '../surfaces.ts';
import type { Endpoint } from './endpoint.ts';
import { errorExamples } from './openapi-error-examples.ts';
import { headerRefs } from './openapi-headers.ts';
import type { JsonSchema } from './openapi-schemas.ts';

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

/** What each status of an error means on a surface. */
function meaningsOf({ name, credential }: Surface): Readonly<Record<string, string>> {
  const caller = credential === 'session' ? 'person' : 'key';
  const place = { public: 'data.reason', plugins: 'issues[].reason', iam: 'message' }[name];
  const invalid = 'The body or a value is invalid. Every invalid field is listed.';
  return {
    400: invalid,
    401:
      credential === 'session'
        ? 'Nobody is signed in: the session is missing, unknown or ended.'
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
      'Something that the platform needs is away for a moment. Repeat the call after `Retry-After` seconds; a change ' +
      'that may have been done, with the same `Idempotency-Key`. The message says which it is.',
  };
}

/**
 * The statuses of the errors of an endpoint. Most follow from what it takes; those of its own rules are named in the
 * descriptions of its root field and its inputs.
 */
export function errorStatuses(endpoint: Endpoint, surface: Surface): string[] {
  const { isMutation, pathParams, queryParams, variables, method, body } = endpoint;
  const hasBody = method === 'POST' || method === 'PUT';
  const takesInput = variables.length > 0 || isMutation;
  const namesObject = pathParams.length > 0 || (isMutation && variables.some(({ type }) => containsId(type)));
  const found = [
    ...(takesInput || queryParams.length > 0 || (hasBody && body.fields.size > 0)
      ? [String(surface.invalidStatus)]
      : []),
    '401',
    '403',
    ...(namesObject ? ['404'] : []),
    ...(isMutation ? ['409'] : []), // of the Idempotency-Key
    ...(hasBody ? ['413', '415'] : []),
    '429',
    '500',
    '503',
    ...[endpoint.field, ...endpoint.field.args].flatMap(({ description }) => namedStatuses(description, surface)),
  ];
  return [...new Set(found)].sort();
}

export function errorRefs(surface: Surface, statuses: readonly string[]): JsonSchema {
  return Object.fromEntries(
    statuses.map((status) => [status, { $ref: `#/components/responses/${errorName(surface)}${status}` }]),
  );
}

/** IAM answers 422 where the graph says 400. */
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
