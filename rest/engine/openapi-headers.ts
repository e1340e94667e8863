import { exampleRequestId } from './openapi-error-examples.ts';
import type { JsonSchema } from './openapi-schemas.ts';

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
