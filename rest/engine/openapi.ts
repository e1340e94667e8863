import { getNamedType, getNullableType, type GraphQLArgument, GraphQLNonNull, type GraphQLSchema, isInputObjectType, isNonNullType, Kind } from 'graphql';
import { type Surface, surfaces } from '../surfaces.ts';
import type { Endpoint } from './endpoint.ts';
import { errorRefs, errorResponses, errorSchemas, headerRefs, responseHeaders } from './openapi-errors.ts';
import { type ExampleField, smallestExample } from './openapi-example.ts';
import { type Components, described, inputObjectSchema, inputSchema, type JsonSchema, outputSchema } from './openapi-schemas.ts';

/** The endpoints of the two surfaces that partners read about. IAM is absent. */
export interface PublicEndpoints {
  public: readonly Endpoint[];
  plugins: readonly Endpoint[];
}

/** The OpenAPI 3.1 text of the public API: said by documents and schema alone, so that it cannot say anything else than what is served. */
export function openApi(schema: GraphQLSchema, endpoints: PublicEndpoints, publicUrl: string): JsonSchema {
  const components: Components = new Map();
  const shown: { endpoint: Endpoint; surface: Surface }[] = [
    ...endpoints.public.map((endpoint) => ({ endpoint, surface: surfaces.public })),
    ...endpoints.plugins.map((endpoint) => ({ endpoint, surface: surfaces.plugins })),
  ];
  shown.sort((left, right) => (left.endpoint.path < right.endpoint.path ? -1 : 1));
  const paths: Record<string, Record<string, JsonSchema>> = {};
  for (const { endpoint, surface } of shown) {
    const path = pathOf(endpoint, surface);
    paths[path] = { ...paths[path], [endpoint.method.toLowerCase()]: operationOf(schema, endpoint, surface, components) };
  }
  const tags = [...new Set(shown.map(({ endpoint, surface }) => tagOf(endpoint, surface)))].sort();
  return {
    openapi: '3.1.0',
    info: { title: 'Partner Payments Platform', version: '1', description: introduction },
    servers: [{ url: `${publicUrl.replace(/\/$/, '')}${surfaces.public.root}` }],
    security: [{ apiKey: [] }],
    tags: tags.map((name) => ({ name })),
    paths,
    components: {
      securitySchemes: { apiKey: { type: 'http', scheme: 'bearer', description: 'A partner key (`tp_sk_partner_…`) or a sub-key (`tp_sk_…`).' } },
      headers: responseHeaders,
      parameters: {
        'Idempotency-Key': {
          name: 'Idempotency-Key',
          in: 'header',
          description: 'Makes a repeat of this call safe for 24 hours: the same key and body give the first answer again and have no second effect.',
          schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[\\x20-\\x7e]+$' },
        },
      },
      responses: { ...errorResponses(surfaces.public), ...(endpoints.plugins.length > 0 && errorResponses(surfaces.plugins)) },
      schemas: { ...errorSchemas, ...Object.fromEntries([...components].sort(([left], [right]) => (left < right ? -1 : 1))) },
    },
  };
}

const introduction = `Take payments for your merchants: provision an account, mint its key, tokenize a card, charge it.

Every call carries a key: \`Authorization: Bearer <API_KEY>\`. Test keys and live keys live in worlds apart. Bodies are JSON in UTF-8, at most
1 MiB (5 MiB for \`/plugins/v2/deploy\`). Every success is 200. Amounts are whole numbers of minor units. Unknown fields at the top of a body are ignored and named in the header
\`Ignored-Fields\`; unknown fields deeper down are errors.`;

function operationOf(schema: GraphQLSchema, endpoint: Endpoint, surface: Surface, components: Components): JsonSchema {
  const description = endpoint.field.description ?? '';
  const [summary = endpoint.name] = description.split(/(?<=\.)\s|\n/);
  const hasBody = endpoint.method === 'POST' || endpoint.method === 'PUT';
  const parameters = [
    ...endpoint.pathParams.map((name) => parameterOf(endpoint, name, 'path', components)),
    ...endpoint.queryParams.map(({ name }) => parameterOf(endpoint, name, 'query', components)),
    ...(endpoint.isMutation ? [{ $ref: '#/components/parameters/Idempotency-Key' }] : []),
  ];
  const headers = ['Request-Id', 'Server-Timing', 'RateLimit', 'RateLimit-Policy', ...(hasBody ? ['Ignored-Fields'] : []), ...(endpoint.isMutation ? ['Idempotent-Replayed'] : [])];
  return {
    operationId: endpoint.name,
    tags: [tagOf(endpoint, surface)],
    summary: summary.replace(/\.$/, ''),
    // The summary is its first sentence, which readers show above it.
    description: [description.slice(summary.length).trim(), keysOf(endpoint.scopes)].filter(Boolean).join('\n\n'),
    ...(parameters.length > 0 && { parameters }),
    ...(hasBody && endpoint.body.fields.size > 0 && { requestBody: requestBody(endpoint, components) }),
    responses: {
      200: {
        description: 'It worked.',
        headers: headerRefs(...headers),
        content: { 'application/json': { schema: outputSchema(schema, endpoint.document, endpoint.field.type, endpoint.fieldNode, components) } },
      },
      ...errorRefs(surface, hasBody),
    },
  };
}

function keysOf(scopes: Endpoint['scopes']): string {
  if (scopes.testKey) return 'Takes a partner key or a sub-key of test mode; keys of live mode get 403 `forbidden_scope`.';
  return scopes.partnerKey ? 'Takes a partner key.' : 'Takes a partner key or a sub-key.';
}

function requestBody(endpoint: Endpoint, components: Components): JsonSchema {
  const schema = bodySchema(endpoint, components);
  return { required: Array.isArray(schema['required']), content: { 'application/json': { schema, example: smallestExample(bodyFields(endpoint)) } } };
}

function bodySchema({ body, variables, field, fieldNode }: Endpoint, components: Components): JsonSchema {
  const whole = variables.find(({ name }) => name === body.wholeAs);
  const type = whole && isNonNullType(whole.type) ? whole.type.ofType : whole?.type;
  if (isInputObjectType(type)) return inputObjectSchema(type, components, true);
  const fields = variables.filter(({ name }) => body.fields.has(name));
  const required = fields.filter((variable) => isNonNullType(variable.type) && variable.rawDefault === undefined).map(({ name }) => name);
  return {
    type: 'object',
    properties: Object.fromEntries(
      fields.map(({ name, type: fieldType, rawDefault }) => {
        const argument = argumentOf({ field, fieldNode }, name);
        return [name, { ...inputSchema(fieldType, components), ...described(argument?.description), ...(rawDefault !== undefined && { default: rawDefault }) }];
      }),
    ),
    ...(required.length > 0 && { required }),
  };
}

/** The fields of a body that have no default, whether they are variables or fields of `$body`. */
function bodyFields({ body, variables }: Endpoint): ExampleField[] {
  const whole = variables.find(({ name }) => name === body.wholeAs);
  const type = whole && getNamedType(whole.type);
  if (isInputObjectType(type)) return Object.values(type.getFields()).filter((field) => field.defaultValue === undefined);
  return variables.filter(({ name, rawDefault }) => body.fields.has(name) && rawDefault === undefined);
}

function parameterOf({ variables, field, fieldNode }: Endpoint, name: string, place: 'path' | 'query', components: Components): JsonSchema {
  const variable = variables.find((candidate) => candidate.name === name);
  const argument = argumentOf({ field, fieldNode }, name);
  const type = variable && getNullableType(variable.type);
  return { name, in: place, required: place === 'path', ...described(argument?.description), schema: type ? inputSchema(new GraphQLNonNull(type), components) : { type: 'string' } };
}

/** The argument of the root field that a variable is given to; its description is the variable's. */
function argumentOf({ field, fieldNode }: Pick<Endpoint, 'field' | 'fieldNode'>, variable: string): GraphQLArgument | undefined {
  const given = fieldNode.arguments?.find(({ value }) => value.kind === Kind.VARIABLE && value.name.value === variable);
  return field.args.find(({ name }) => name === given?.name.value);
}

function pathOf({ path }: Endpoint, surface: Surface): string {
  return `${surface.root.slice(surfaces.public.root.length)}${path}`.replace(/:(\w+)/g, '{$1}');
}

/** The folder of the document: `rest/public/payments/process-payment.graphql` is about payments. */
function tagOf({ document }: Endpoint, surface: Surface): string {
  const folders = document.file.split('/').slice(0, -1);
  return surface.name === 'plugins' ? 'plugins' : (folders[2] ?? surface.name);
}
