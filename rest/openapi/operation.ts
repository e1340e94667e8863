import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { GraphQLNonNull, type GraphQLSchema, getNullableType } from 'graphql';
import { type Endpoint, resources } from '../../sdk/src/resources.ts';
import { type OwnScopes, takesKeys, takesSuspendedKeys } from '../../src/auth/scopes.ts';
import type { Domain } from '../../src/domain.ts';
import { restDescriptionOf } from '../../src/graph/plugins.ts';
import { domains } from '../../src/registry.ts';
import type { Endpoint as EndpointOfEndpoint } from '../engine/endpoint.ts';
import { type Surface, surfaces } from '../engine/surfaces.ts';
import { errorRefs, errorStatuses, headerRefs } from './errors.ts';
import { argumentOf, bodyReference, inputSchema, isBodyRequired } from './inputs.ts';
import { answerSchema, type Components, described, type JsonSchema } from './schemas.ts';

/** The methods of the SDK by the name of their operation. */
const methods = new Map(methodsOf(resources, 'platform'));

/** The SDK's call of an operation, with the values of its example. None if the SDK has no method for it. */
function codeSamples(operation: string, example: Example | undefined): JsonSchema {
  const method = methods.get(operation);
  if (!method || !example) return {};
  const id = Object.values(example.params ?? {}).map((value) => literal(value));
  const body = example.body === undefined ? [] : [literal(example.body)];
  const call = `${method.name}(${[...id, ...body].join(', ')})`;
  const source =
    method.kind === 'list' ? `for await (const item of ${call}) console.log(item);` : `const answer = await ${call};`;
  return { 'x-codeSamples': [{ lang: 'JavaScript', label: 'SDK', source }] };
}

function methodsOf(table: object, path: string): [string, { name: string; kind: Endpoint['kind'] }][] {
  return Object.entries(table).flatMap(([name, part]: [string, object]) => {
    if (!('operation' in part)) return methodsOf(part, `${path}.${name}`);
    const { operation, kind } = part as Endpoint; // the table has endpoints, and objects of them
    return [[operation, { name: `${path}.${name}`, kind }]];
  });
}

/** A value as source code. */
function literal(value: unknown, indent = ''): string {
  if (typeof value === 'string') return `'${value.replace(/[\\']/g, '\\$&').replaceAll('\n', '\\n')}'`;
  if (typeof value !== 'object' || value === null) return String(value);
  const inner = `${indent}  `;
  const parts = Array.isArray(value)
    ? value.map((item) => literal(item, inner))
    : Object.entries(value).map(([name, part]: [string, unknown]) => `${nameOf(name)}: ${literal(part, inner)}`);
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{ ', ' }'];
  const line = parts.length === 0 ? `${open}${close}`.replaceAll(' ', '') : `${open}${parts.join(', ')}${close}`;
  if (indent.length + line.length <= 80 && !line.includes('\n')) return line;
  return `${open.trim()}\n${parts.map((part) => `${inner}${part},\n`).join('')}${indent}${close.trim()}`;
}

function nameOf(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : `'${name}'`;
}

/** The credentials of a document, by the name that its operations use. */
export const securitySchemes: Readonly<Record<Surface['credential'], JsonSchema>> = {
  apiKey: {
    partnerKey: {
      type: 'http',
      scheme: 'bearer',
      description: "A partner key, `tp_sk_partner_…`. It acts for all the partner's accounts of its mode.",
    },
    subKey: { type: 'http', scheme: 'bearer', description: 'A sub-key, `tp_sk_…`. It acts for one account.' },
  },
  session: {
    session: {
      type: 'http',
      scheme: 'bearer',
      description:
        'A token of the session of a signed-in person, valid for 60 seconds. A browser sends its cookie instead.',
    },
  },
};

/** The credentials that an operation accepts. */
function securityOf({ scopes }: EndpointOfEndpoint, { credential }: Surface): JsonSchema[] {
  if (credential === 'session' || !takesKeys(scopes)) return [{ session: [] }];
  return takesPartnerKeys(scopes) ? [{ partnerKey: [] }] : [{ partnerKey: [] }, { subKey: [] }];
}

const takesPartnerKeys = ({ partnerKey, suspendedPartnerKey }: OwnScopes): boolean =>
  partnerKey === true || suspendedPartnerKey === true;

/** The callers that may use an operation, as a sentence of its description. */
function callersOf({ scopes }: EndpointOfEndpoint, { credential }: Surface): string {
  if (credential === 'session') return peopleOf(scopes);
  const also = takesSuspendedKeys(scopes) ? ' Open also while the partner is suspended.' : '';
  if (scopes.testKey || scopes.suspendedTestKey)
    return `Requires a partner key or a sub-key of test mode. Keys of live mode get 403 \`forbidden_scope\`.${also}`;
  return `Requires a partner key${takesPartnerKeys(scopes) ? '' : ' or a sub-key'}.${also}`;
}

function peopleOf(scopes: EndpointOfEndpoint['scopes']): string {
  if (scopes.superadmin) return 'Requires the role superadmin.';
  if (scopes.hub) return 'Requires the role superadmin, hubadmin or platformpaymentAdmin.';
  if (scopes.platformStaff)
    return 'Requires the role superadmin, hubadmin or platformpaymentAdmin, or accountmanager without a partner.';
  if (scopes.admin) return 'Requires the role superadmin, hubadmin, platformpaymentAdmin or partneradmin.';
  if (scopes.directory) return 'Requires a role of internal staff, or partneradmin or accountmanager of a partner.';
  return 'Requires a signed-in person.';
}

/** The groups of the API reference. A group is a document, described by its domain. */
const groups = new Map(
  domains.flatMap(({ name, reference, rooms }: Domain) =>
    Object.entries({ ...(reference && { [name]: reference }), ...rooms }),
  ),
);

/**
 * The tags of the named groups: in the order of the surface, then of the domains. Groups without a description come
 * last.
 */
export function tagsOf(names: ReadonlySet<string>, { groups: own = {} }: Surface): JsonSchema[] {
  const described = new Map([...Object.entries(own), ...groups]);
  const known = [...described.keys()].filter((name) => names.has(name));
  const others = [...names].filter((name) => !described.has(name)).sort();
  return [...known, ...others].map((name) => {
    const { title, description } = described.get(name) ?? { title: name, description: '' };
    return { name, 'x-displayName': title, ...(description !== '' && { description }) };
  });
}

const shortForms: Readonly<Record<string, string>> = { api: 'API', kyb: 'KYB' };

/** A short title for the list of operations in the API reference: `CreateApiKey` → `Create API key`. */
function titleOf(operation: string): string {
  const words = operation.split(/(?=[A-Z])/).map((word) => word.toLowerCase());
  const title = words.map((word) => shortForms[word] ?? word).join(' ');
  return title.charAt(0).toUpperCase() + title.slice(1);
}

/** One endpoint of a surface, with the example of its answer. */
export interface ShownEndpoint {
  endpoint: EndpointOfEndpoint;
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
    description: [restDescriptionOf(endpoint.field), callersOf(endpoint, surface)].filter(Boolean).join('\n\n'),
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
  endpoint: EndpointOfEndpoint,
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

export function pathOf({ path }: EndpointOfEndpoint, { root, credential }: Surface): string {
  const base = credential === 'session' ? root : surfaces.public.root;
  return `${root.slice(base.length)}${path}`.replace(/:(\w+)/g, '{$1}');
}

/** The name of the document: `payments` for `rest/public/payments.graphql`. */
export function tagOf({ document }: EndpointOfEndpoint, surface: Surface): string {
  return surface.name === 'plugins' ? 'plugins' : basename(document.file, '.graphql');
}

/** One recorded request to an endpoint, and the response of a running platform. */
export interface Example {
  params?: Record<string, string>;
  body?: unknown;
  answer: unknown;
}

/** Examples by the name of the operation. */
export type Examples = Readonly<Record<string, Example>>;

/**
 * Reads the recorded requests of a scenario in which a partner uses every endpoint. A test runs the scenario again and
 * compares the responses with the file.
 */
export function readExamples(): Examples {
  // written by test/rest/examples.test.ts only
  return JSON.parse(readFileSync(join(import.meta.dirname, '..', 'examples.json'), 'utf8')) as Examples;
}

/**
 * The identifiers of the scenario that have a counterpart in the demo tenant. They are replaced by those of the demo
 * tenant, so that requests from the API reference find existing rows.
 */
export function sharedIds(
  examples: Examples,
): Record<'platformAccountId' | 'storeId' | 'paymentInstrumentId', string | undefined> {
  return {
    platformAccountId: examples['GetAccount']?.params?.['platformAccountId'],
    storeId: examples['UpdateStore']?.params?.['storeId'],
    paymentInstrumentId: examples['GetPaymentInstrument']?.params?.['paymentInstrumentId'],
  };
}
