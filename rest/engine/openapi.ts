import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type GraphQLArgument,
  GraphQLNonNull,
  type GraphQLSchema,
  getNullableType,
  isInputObjectType,
  isNonNullType,
  Kind,
} from 'graphql';
import { type Surface, surfaces } from '../surfaces.ts';
import type { Endpoint } from './endpoint.ts';
import { errorRefs, errorResponses, errorSchemas, headerRefs, responseHeaders } from './openapi-errors.ts';
import type { Example, Examples } from './openapi-examples.ts';
import { connectCallback } from './openapi-handwritten.ts';
import {
  type Components,
  described,
  inputObjectSchema,
  inputSchema,
  type JsonSchema,
  outputSchema,
} from './openapi-schemas.ts';
import { tagsOf, titleOf } from './openapi-tags.ts';

/** The endpoints of the two documented surfaces. IAM is not documented for partners. */
export interface PublicEndpoints {
  public: readonly Endpoint[];
  plugins: readonly Endpoint[];
}

/**
 * The OpenAPI 3.1 description of the public API. It is generated from the documents and the schema only, so that it
 * always matches the endpoints.
 */
export function openApi(
  schema: GraphQLSchema,
  endpoints: PublicEndpoints,
  publicUrl: string,
  examples: Examples,
  isSandbox = false,
): JsonSchema {
  const components: Components = new Map();
  const shown: { endpoint: Endpoint; surface: Surface }[] = [
    ...endpoints.public.map((endpoint) => ({ endpoint, surface: surfaces.public })),
    ...endpoints.plugins.map((endpoint) => ({ endpoint, surface: surfaces.plugins })),
  ];
  shown.sort((left, right) => (left.endpoint.path < right.endpoint.path ? -1 : 1));
  const paths: Record<string, Record<string, JsonSchema>> = {};
  for (const { endpoint, surface } of shown) {
    const path = pathOf(endpoint, surface);
    // Before its `initiate`, so that the paths stay sorted.
    if (endpoint.name === 'InitiateCardprocessorConnect')
      paths[path.replace(/initiate$/, 'callback')] = { get: connectCallback };
    paths[path] = {
      ...paths[path],
      [endpoint.method.toLowerCase()]: operationOf(schema, endpoint, surface, components, examples[endpoint.name]),
    };
  }
  const tags = new Set(shown.map(({ endpoint, surface }) => tagOf(endpoint, surface)));
  return {
    openapi: '3.1.0',
    info: {
      title: 'Partner Payments Platform',
      version: '1',
      description: `${isSandbox ? sandboxNotice : ''}${introduction}`,
    },
    servers: [{ url: `${publicUrl.replace(/\/$/, '')}${surfaces.public.root}` }],
    security: [{ apiKey: [] }],
    tags: tagsOf(tags),
    paths,
    components: {
      securitySchemes: {
        apiKey: {
          type: 'http',
          scheme: 'bearer',
          description: 'A partner key (`tp_sk_partner_…`) or a sub-key (`tp_sk_…`).',
        },
      },
      headers: responseHeaders,
      parameters: {
        'Idempotency-Key': {
          name: 'Idempotency-Key',
          in: 'header',
          description:
            'Makes the request idempotent for 24 hours: a request with the same key and body returns the first ' +
            'response again and has no second effect.',
          schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[\\x20-\\x7e]+$' },
        },
      },
      responses: {
        ...errorResponses(surfaces.public),
        ...(endpoints.plugins.length > 0 && errorResponses(surfaces.plugins)),
      },
      schemas: {
        ...errorSchemas,
        ...Object.fromEntries([...components].sort(([left], [right]) => (left < right ? -1 : 1))),
      },
    },
  };
}

const sandboxNotice =
  '**This is the sandbox.** It has test mode only: live keys are refused with 401, and no money moves. The paths are those ' +
  'of production.\n\n';
const introduction = readFileSync(join(import.meta.dirname, '..', 'introduction.md'), 'utf8');

function operationOf(
  schema: GraphQLSchema,
  endpoint: Endpoint,
  surface: Surface,
  components: Components,
  example: Example | undefined,
): JsonSchema {
  const hasBody = endpoint.method === 'POST' || endpoint.method === 'PUT';
  const parameters = [
    ...endpoint.pathParams.map((name) => parameterOf(endpoint, name, 'path', components, example?.params?.[name])),
    ...endpoint.queryParams.map(({ name }) => parameterOf(endpoint, name, 'query', components)),
    ...(endpoint.isMutation ? [{ $ref: '#/components/parameters/Idempotency-Key' }] : []),
  ];
  const headers = [
    'Request-Id',
    'Server-Timing',
    'RateLimit',
    'RateLimit-Policy',
    ...(hasBody && !endpoint.isMutation ? ['Ignored-Fields'] : []),
    ...(endpoint.isMutation ? ['Idempotent-Replayed'] : []),
  ];
  return {
    operationId: endpoint.name,
    tags: [tagOf(endpoint, surface)],
    summary: titleOf(endpoint.name),
    description: [endpoint.field.description, keysOf(endpoint.scopes)].filter(Boolean).join('\n\n'),
    ...(parameters.length > 0 && { parameters }),
    ...(hasBody && endpoint.body.fields.size > 0 && { requestBody: requestBody(endpoint, components, example) }),
    responses: {
      200: {
        description: 'The request succeeded.',
        headers: headerRefs(...headers),
        content: {
          'application/json': {
            schema: outputSchema(schema, endpoint.document, endpoint.field.type, endpoint.fieldNode, components),
            ...(example && { example: example.answer }),
          },
        },
      },
      ...errorRefs(surface, hasBody),
    },
  };
}

function keysOf(scopes: Endpoint['scopes']): string {
  if (scopes.testKey)
    return 'Requires a partner key or a sub-key of test mode. Keys of live mode get 403 `forbidden_scope`.';
  if (scopes.suspendedKey) return 'Requires a partner key or a sub-key. Open also while the partner is suspended.';
  return scopes.partnerKey ? 'Requires a partner key.' : 'Requires a partner key or a sub-key.';
}

function requestBody(endpoint: Endpoint, components: Components, example: Example | undefined): JsonSchema {
  const schema = bodySchema(endpoint, components);
  return {
    required: Array.isArray(schema['required']),
    content: { 'application/json': { schema, ...(example?.body !== undefined && { example: example.body }) } },
  };
}

function bodySchema({ body, variables, field, fieldNode, isMutation }: Endpoint, components: Components): JsonSchema {
  const whole = variables.find(({ name }) => name === body.wholeAs);
  const type = whole && isNonNullType(whole.type) ? whole.type.ofType : whole?.type;
  if (isInputObjectType(type)) return inputObjectSchema(type, components, !isMutation);
  const fields = variables.filter(({ name }) => body.fields.has(name));
  const required = fields
    .filter((variable) => isNonNullType(variable.type) && variable.rawDefault === undefined)
    .map(({ name }) => name);
  return {
    type: 'object',
    properties: Object.fromEntries(
      fields.map(({ name, type: fieldType, rawDefault }) => {
        const argument = argumentOf({ field, fieldNode }, name);
        return [
          name,
          {
            ...inputSchema(fieldType, components),
            ...described(argument?.description),
            ...(rawDefault !== undefined && { default: rawDefault }),
          },
        ];
      }),
    ),
    ...(required.length > 0 && { required }),
    ...(isMutation && { additionalProperties: false }),
  };
}

function parameterOf(
  { variables, field, fieldNode }: Endpoint,
  name: string,
  place: 'path' | 'query',
  components: Components,
  example?: string,
): JsonSchema {
  const variable = variables.find((candidate) => candidate.name === name);
  const argument = argumentOf({ field, fieldNode }, name);
  const type = variable && getNullableType(variable.type);
  return {
    name,
    in: place,
    required: place === 'path',
    ...described(argument?.description),
    schema: type ? inputSchema(new GraphQLNonNull(type), components) : { type: 'string' },
    ...(example !== undefined && { example }),
  };
}

/** The argument of the root field to which a variable is passed. It provides the description of the variable. */
function argumentOf(
  { field, fieldNode }: Pick<Endpoint, 'field' | 'fieldNode'>,
  variable: string,
): GraphQLArgument | undefined {
  const given = fieldNode.arguments?.find(({ value }) => value.kind === Kind.VARIABLE && value.name.value === variable);
  return field.args.find(({ name }) => name === given?.name.value);
}

function pathOf({ path }: Endpoint, surface: Surface): string {
  return `${surface.root.slice(surfaces.public.root.length)}${path}`.replace(/:(\w+)/g, '{$1}');
}

/** The folder of the document: `payments` for `rest/public/payments/process-payment.graphql`. */
function tagOf({ document }: Endpoint, surface: Surface): string {
  const folders = document.file.split('/').slice(0, -1);
  return surface.name === 'plugins' ? 'plugins' : (folders[2] ?? surface.name);
}
