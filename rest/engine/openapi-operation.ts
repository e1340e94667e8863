import { GraphQLNonNull, type GraphQLSchema, getNullableType } from 'graphql';
import { type Surface, surfaces } from '../surfaces.ts';
import type { Endpoint } from './endpoint.ts';
import { answerSchema } from './openapi-answers.ts';
import { codeSamples } from './openapi-code-samples.ts';
import { errorRefs, errorStatuses } from './openapi-errors.ts';
import type { Example } from './openapi-examples.ts';
import { headerRefs } from './openapi-headers.ts';
import { argumentOf, bodyReference, inputSchema, isBodyRequired } from './openapi-inputs.ts';
import { type Components, described, type JsonSchema } from './openapi-schemas.ts';
import { callersOf, securityOf } from './openapi-security.ts';
import { titleOf } from './openapi-tags.ts';

/** One endpoint of a surface, with the example of its answer. */
export interface ShownEndpoint {
  endpoint: Endpoint;
  surface: Surface;
  example: Example | undefined;
}

export function operationOf(schema: GraphQLSchema, shown: ShownEndpoint, components: Components): JsonSchema {
  const { endpoint, surface, example } = shown;
  const hasBody = endpoint.method === 'POST' || endpoint.method === 'PUT';
  const parameters = [
    ...endpoint.pathParams.map((name) => parameterOf(endpoint, name, 'path', components, example?.params?.[name])),
    ...endpoint.queryParams.map(({ name }) => parameterOf(endpoint, name, 'query', components)),
    ...(endpoint.isMutation ? [{ $ref: '#/components/parameters/Idempotency-Key' }] : []),
  ];
  const rates = surface.credential === 'apiKey' ? ['RateLimit', 'RateLimit-Policy'] : [];
  const headers = [
    'Request-Id',
    'Server-Timing',
    ...rates,
    ...(hasBody && !endpoint.isMutation ? ['Ignored-Fields'] : []),
    ...(endpoint.isMutation ? ['Idempotent-Replayed'] : []),
  ];
  const source = { schema, document: endpoint.document, components };
  return {
    operationId: endpoint.name,
    tags: [tagOf(endpoint, surface)],
    summary: titleOf(endpoint.name),
    description: [endpoint.field.description, callersOf(endpoint, surface)].filter(Boolean).join('\n\n'),
    security: securityOf(endpoint, surface),
    ...(parameters.length > 0 && { parameters }),
    ...(hasBody && endpoint.body.fields.size > 0 && { requestBody: requestBody(shown, components) }),
    responses: {
      200: {
        description: 'The request succeeded.',
        headers: headerRefs(...headers),
        content: {
          'application/json': {
            schema: answerSchema(source, new GraphQLNonNull(getNullableType(endpoint.field.type)), endpoint.fieldNode),
            ...(example && { example: example.answer }),
          },
        },
      },
      ...errorRefs(surface, errorStatuses(endpoint, surface)),
    },
    ...(surface.credential === 'apiKey' && codeSamples(endpoint.name, example)),
  };
}

function requestBody({ endpoint, example }: ShownEndpoint, components: Components): JsonSchema {
  return {
    required: isBodyRequired(endpoint),
    content: {
      'application/json': {
        schema: bodyReference(endpoint, components),
        ...(example?.body !== undefined && { example: example.body }),
      },
    },
  };
}

function parameterOf(
  endpoint: Endpoint,
  name: string,
  place: 'path' | 'query',
  components: Components,
  example?: string,
): JsonSchema {
  const variable = endpoint.variables.find((candidate) => candidate.name === name);
  const type = variable && getNullableType(variable.type);
  return {
    name,
    in: place,
    required: place === 'path',
    ...described(argumentOf(endpoint, name)?.description),
    schema: type ? inputSchema(new GraphQLNonNull(type), components) : { type: 'string' },
    ...(example !== undefined && { example }),
  };
}

export function pathOf({ path }: Endpoint, { root, credential }: Surface): string {
  const base = credential === 'session' ? root : surfaces.public.root;
  return `${root.slice(base.length)}${path}`.replace(/:(\w+)/g, '{$1}');
}

/** The folder of the document: `payments` for `rest/public/payments/process-payment.graphql`. */
export function tagOf({ document }: Endpoint, surface: Surface): string {
  const folders = document.file.split('/').slice(0, -1);
  return surface.name === 'plugins' ? 'plugins' : (folders[2] ?? surface.name);
}
