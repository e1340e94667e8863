import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { GraphQLSchema } from 'graphql';
import type { Endpoint } from '../engine/endpoint.ts';
import { type Surface, surfaces } from '../engine/surfaces.ts';
import { errorResponses, errorSchemas, errorStatuses, responseHeaders } from './errors.ts';
import { type Examples, operationOf, pathOf, type ShownEndpoint, securitySchemes, tagOf, tagsOf } from './operation.ts';
import type { Components, JsonSchema } from './schemas.ts';
import { webhooks } from './webhooks.ts';

const text = (name: string, description: string, isRequired = false): JsonSchema => ({
  name,
  in: 'query',
  description,
  ...(isRequired && { required: true }),
  schema: { type: 'string' },
});

const page = (description: string): JsonSchema => ({
  description,
  content: { 'text/html': { schema: { type: 'string' } } },
});

/**
 * The callback of `initiate`, for integrators who register it as redirect address at a processor. It has no document.
 */
const connectCallback: JsonSchema = {
  operationId: 'FinishCardprocessorConnect',
  tags: ['processors'],
  summary: 'Finish cardprocessor connect',
  description:
    'The address to which the authorization page of the processor redirects the browser. It is not called with a ' +
    'key; it is the redirect address that the OAuth client of the platform is registered with. It connects nothing: ' +
    'its page names the partner, the account and the mode, and asks the merchant. The form of that page ends the ' +
    'attempt, in the same browser, and leads to the return URL.',
  security: [],
  parameters: [
    text('state', 'The state of the attempt, from the URL that `initiate` returned. Valid once, for 10 minutes.', true),
    text('code', 'The authorization code, if the merchant approved.'),
    text('error', 'The error of the processor, such as `access_denied`, if the merchant did not approve.'),
  ],
  responses: {
    200: page('The page on which the merchant decides; or, without a return URL, why the attempt cannot succeed.'),
    303: {
      description: 'The attempt cannot succeed: the return URL, with `status=error`, `processorId` and `reason`.',
      headers: { Location: { description: 'The return URL.', schema: { type: 'string', format: 'uri' } } },
    },
    400: page('The state was not issued by the platform.'),
  },
};

/** The endpoints of one document: those for API keys, or those for signed-in users. */
export type DocumentedEndpoints = Partial<Record<Surface['name'], readonly Endpoint[]>>;

export interface DocumentOptions {
  /** The base URL of the platform. Empty for addresses relative to the document. */
  publicUrl: string;
  examples: Examples;
  isSandbox?: boolean;
  /** The base URL of the sandbox of this deployment. */
  sandboxUrl?: string | null;
  /** The URL of the documentation, if it is served. */
  docsUrl?: string;
}

/**
 * The OpenAPI 3.1 description of an API. It is generated only from the documents and the schema, so that it always
 * matches the endpoints.
 */
export function openApi(
  schema: GraphQLSchema,
  endpoints: DocumentedEndpoints,
  { publicUrl, examples, isSandbox = false, sandboxUrl = null, docsUrl }: DocumentOptions,
): JsonSchema {
  const components: Components = new Map();
  const served = (['public', 'plugins', 'iam'] as const).map((name) => surfaces[name]);
  const shown: ShownEndpoint[] = served.flatMap((surface) =>
    (endpoints[surface.name] ?? []).map((endpoint) => ({ endpoint, surface, example: examples[endpoint.name] })),
  );
  shown.sort((left, right) => (left.endpoint.path < right.endpoint.path ? -1 : 1));
  const paths: Record<string, Record<string, JsonSchema>> = {};
  for (const each of shown) {
    const path = pathOf(each.endpoint, each.surface);
    // Before its `initiate`, so that the paths stay sorted.
    if (each.endpoint.name === 'InitiateCardprocessorConnect')
      paths[path.replace(/initiate$/, 'callback')] = { get: connectCallback };
    paths[path] = {
      ...paths[path],
      [each.endpoint.method.toLowerCase()]: operationOf(schema, each, components),
    };
  }
  const names = served.filter(({ name }) => endpoints[name]?.length);
  const main: Surface = names.find(({ name }) => name !== 'plugins') ?? surfaces.public;
  const messages = webhooks(components);
  return {
    openapi: '3.1.0',
    info: {
      title: main.title,
      version: '1',
      description: `${isSandbox ? sandboxNotice : sandboxUrl === null ? '' : sandboxAt(sandboxUrl)}${introductionOf(main)}`,
      license: { name: 'MIT', identifier: 'MIT' },
      contact: { name: main.title, ...(publicUrl !== '' && { url: publicUrl }) },
    },
    ...(docsUrl !== undefined && { externalDocs: { description: 'Documentation', url: docsUrl } }),
    servers: [
      { url: `${publicUrl.replace(/\/$/, '')}${main.root}` },
      ...(sandboxUrl === null ? [] : [{ url: `${sandboxUrl}${main.root}`, description: 'The sandbox' }]),
    ],
    tags: tagsOf(new Set(shown.map(({ endpoint, surface }) => tagOf(endpoint, surface))), main),
    paths,
    ...messages,
    components: {
      securitySchemes: securitySchemes[main.credential],
      headers: responseHeaders,
      parameters: { 'Idempotency-Key': idempotencyKey },
      responses: Object.fromEntries(names.flatMap((surface) => errorResponses(surface, statusesOf(shown, surface)))),
      schemas: {
        ...errorSchemas(names.map(({ name }) => name)),
        ...Object.fromEntries([...components].sort(([left], [right]) => (left < right ? -1 : 1))),
      },
    },
  };
}

const sandboxNotice =
  '**This is the sandbox.** It has test mode only: live keys are refused with 401, and no money moves. The paths are ' +
  'those of production.\n\n';

const sandboxAt = (url: string): string =>
  `**The sandbox is at ${url}.** It has the same paths, and test mode only.\n\n`;

function introductionOf({ introduction }: Surface): string {
  return readFileSync(join(import.meta.dirname, '..', introduction), 'utf8');
}

const idempotencyKey: JsonSchema = {
  name: 'Idempotency-Key',
  in: 'header',
  description:
    'Makes the request idempotent for 24 hours: a request with the same key and body returns the first response ' +
    'again and has no second effect.',
  schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[\\x20-\\x7e]+$' },
};

function statusesOf(shown: readonly ShownEndpoint[], surface: Surface): Set<string> {
  return new Set(
    shown.flatMap((each) => (each.surface.name === surface.name ? errorStatuses(each.endpoint, surface) : [])),
  );
}
