import { createServer, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  GraphQLBoolean,
  GraphQLEnumType,
  GraphQLError,
  type GraphQLFieldConfig,
  GraphQLInputObjectType,
  GraphQLInt,
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
  GraphQLScalarType,
  GraphQLSchema,
  GraphQLString,
} from 'graphql';
import type { Authenticate } from '../../rest/engine/admit.ts';
import { readDocuments } from '../../rest/engine/document.ts';
import { compileEndpoint } from '../../rest/engine/endpoint.ts';
import { createSurface } from '../../rest/engine/request.ts';
import { type Surface, surfaces } from '../../rest/engine/surfaces.ts';
import type { ApiKeyCaller } from '../../src/auth/caller.ts';
import type { Context } from '../../src/call/context.ts';
import { Forbidden, NotAuthorized, NotFound, RateLimited } from '../../src/lib/errors.ts';
import { createBodyMemory } from '../../src/limits/body-memory.ts';
import type { Services } from '../../src/services.ts';

/** A facade over a schema of a few fields, without a database: it tests the engine without the domains. */

const Amount = new GraphQLScalarType({
  name: 'Amount',
  description: 'Money in minor units.',
  extensions: { jsonSchema: { type: 'integer', minimum: 1, maximum: 1000 } },
  parseValue: (value) => {
    if (typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= 1000) return value;
    throw new GraphQLError('must be a whole number from 1 to 1000');
  },
});
const Anything = new GraphQLScalarType({ name: 'JSONObject', extensions: { jsonSchema: { type: 'object' } } });
const Color = new GraphQLEnumType({ name: 'Color', values: { red: {}, blue: {} } });
const Line = new GraphQLInputObjectType({
  name: 'LineInput',
  fields: {
    name: { type: new GraphQLNonNull(GraphQLString), description: 'What it is.' },
    quantity: { type: new GraphQLNonNull(GraphQLInt), defaultValue: 1 },
    unit: { type: Color, defaultValue: 'red' },
  },
});
const Choice = new GraphQLInputObjectType({
  name: 'ChoiceInput',
  isOneOf: true,
  fields: { id: { type: GraphQLString }, slug: { type: GraphQLString } },
});
export const OrderInput = new GraphQLInputObjectType({
  name: 'OrderInput',
  fields: () => ({
    amount: { type: new GraphQLNonNull(Amount) },
    note: { type: GraphQLString },
    color: { type: Color },
    items: { type: new GraphQLList(new GraphQLNonNull(Line)) },
    tags: { type: new GraphQLList(new GraphQLNonNull(GraphQLString)) },
    choice: { type: Choice },
    urgent: { type: GraphQLBoolean },
    metadata: { type: Anything },
  }),
});
const Order = new GraphQLObjectType({
  name: 'Order',
  fields: {
    id: { type: new GraphQLNonNull(GraphQLString), description: 'Its identifier.' },
    amount: { type: Amount },
    note: { type: GraphQLString },
    color: { type: Color },
    echo: { type: GraphQLString },
  },
});

const orderPage = new GraphQLObjectType({
  name: 'OrderPage',
  fields: {
    items: { type: new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(Order))) },
    page: { type: new GraphQLNonNull(GraphQLInt) },
  },
});
const key = { pothosOptions: { authScopes: { key: true } } };
const partnerKey = { pothosOptions: { authScopes: { partnerKey: true } } };

/** The arguments the resolvers received, the latest last. */
export const received: unknown[] = [];

type Field = GraphQLFieldConfig<unknown, Context>;
const query: Record<string, Field> = {
  order: {
    type: new GraphQLNonNull(Order),
    description: 'Reads an order.\n\nMore about it.',
    extensions: key,
    args: { id: { type: new GraphQLNonNull(GraphQLString) } },
    resolve: (_parent, { id }: { id: string }) => {
      if (id === 'missing') throw new NotFound('Order not found.');
      if (id === 'bug') throw new TypeError('secret detail of the inside');
      return { id };
    },
  },
  orders: {
    type: new GraphQLNonNull(orderPage),
    description: 'Lists orders.',
    extensions: key,
    args: { page: { type: new GraphQLNonNull(GraphQLInt), defaultValue: 1 } },
    resolve: (_parent, { page }: { page: number }) => ({ page, items: [{ id: 'o1' }] }),
  },
};
const mutation: Record<string, Field> = {
  createOrder: {
    type: new GraphQLNonNull(Order),
    description: 'Creates an order.',
    extensions: key,
    args: { input: { type: new GraphQLNonNull(OrderInput) } },
    resolve: (_parent, { input }: { input: { amount: number; note?: string | null } }, context) => {
      context.answer.timings.set('processor', 0.5);
      if (input.note === 'again') context.answer.replayed = true;
      received.push(input);
      return {
        id: 'o1',
        amount: input.amount,
        note: input.note ?? null,
        echo: JSON.stringify({ input, idempotency: context.idempotency }),
      };
    },
  },
  updateOrder: {
    type: new GraphQLNonNull(Order),
    description: 'Changes an order.',
    extensions: key,
    args: { id: { type: new GraphQLNonNull(GraphQLString) }, input: { type: new GraphQLNonNull(OrderInput) } },
    resolve: (_parent, { id, input }: { id: string; input: { amount: number } }) => ({ id, amount: input.amount }),
  },
  archiveOrders: {
    type: new GraphQLNonNull(Order),
    description: 'Archives.',
    extensions: partnerKey,
    resolve: () => ({ id: 'all' }),
  },
};

export const schema = new GraphQLSchema({
  query: new GraphQLObjectType({ name: 'Query', fields: query }),
  mutation: new GraphQLObjectType({ name: 'Mutation', fields: mutation }),
});

export const files = [
  { name: 'order.graphql', text: 'fragment OrderFields on Order { id amount note @omitNull color }' },
  {
    name: 'create-order.graphql',
    text:
      'mutation CreateOrder($body: OrderInput!) @rest(method: POST, path: "/orders/create") { createOrder(input: ' +
      '$body) { ...CreatedOrder } } fragment CreatedOrder on Order { ...OrderFields echo }',
  },
  {
    name: 'update-order.graphql',
    text:
      'mutation UpdateOrder($id: String!, $body: OrderInput!) @rest(method: PUT, path: "/orders/:id") { ' +
      'updateOrder(id: $id, input: $body) { ...OrderFields } }',
  },
  {
    name: 'get-order.graphql',
    text: 'query GetOrder($id: String!) @rest(method: GET, path: "/orders/:id") { order(id: $id) { ...OrderFields } }',
  },
  {
    name: 'delete-order.graphql',
    text: 'mutation ArchiveOrders @rest(method: DELETE, path: "/archive") { archiveOrders { id } }',
  },
  {
    name: 'list-orders.graphql',
    text:
      'query ListOrders($page: Int! = 1) @rest(method: POST, path: "/orders/list") { orders(page: $page) { ' +
      'orders: items { ...OrderFields } page } }',
  },
];

export const endpoints = readDocuments(schema, files).map((document) => compileEndpoint(schema, document, 'apiKey'));

const subKey: ApiKeyCaller = {
  kind: 'subKey',
  keyId: 'ak_1',
  keyPrefix: 'tp_sk_test_abcdefgh',
  tenant: { partnerId: 'p_1', mode: 'test', platformAccountId: 'tpa_1' },
};
const rateHeaders = { 'RateLimit-Policy': '"standard";q=100;w=60', RateLimit: '"standard";r=99;t=1' };

/** Credentials by name: the real admission reads them from the database. */
const authenticate: Authenticate<ApiKeyCaller> = async (_env, { authorization }) => {
  if (authorization === 'Bearer limited') throw new RateLimited(7);
  if (authorization === 'Bearer suspended') throw new Forbidden('partner_not_active', 'The partner is not active.');
  if (authorization === 'Bearer broken') throw new TypeError('the database is away');
  if (authorization !== 'Bearer sub') throw new NotAuthorized();
  return { caller: subKey, headers: rateHeaders };
};

interface Answer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
  json(): unknown;
}

export interface Facade extends AsyncDisposable {
  port: number;
  logged: unknown[];
  call(
    method: string,
    path: string,
    options?: { headers?: Record<string, string | string[]>; body?: string | Buffer | readonly Buffer[] },
  ): Promise<Answer>;
}

export async function startFacade(surface: Surface = surfaces.public): Promise<Facade> {
  const logged: unknown[] = [];
  const note = (entry: unknown): number => logged.push(entry);
  // the engine uses no other property
  const services = {
    log: { error: note, info: note },
    config: { fingerprintKey: Buffer.alloc(32) },
    bodyMemory: createBodyMemory(),
  } as unknown as Services;
  const handle = createSurface({
    services,
    surface,
    endpoints,
    ...(surface.credential === 'apiKey' && { authenticate }),
  });
  const server = createServer(
    (request, response) => void handle(request, response, (request.url ?? '/').split('?')[0] ?? '/'),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // an address and port, since it does not listen on a pipe
  return {
    port,
    logged,
    call: (method, path, options) => call(port, method, path, options),
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/**
 * Raw HTTP: sends exactly the given request, including a body without length or type. A list of buffers is sent in
 * chunks.
 */
function call(
  port: number,
  method: string,
  path: string,
  { headers = {}, body }: Parameters<Facade['call']>[2] = {},
): Promise<Answer> {
  const json: Record<string, string> = body === undefined ? {} : { 'Content-Type': 'application/json' };
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      {
        port,
        host: '127.0.0.1',
        method,
        path,
        agent: false,
        headers: { Authorization: 'Bearer sub', ...json, ...headers },
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString();
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            text,
            json: () => JSON.parse(text) as unknown,
          });
        });
      },
    );
    request.on('error', reject);
    if (body === undefined || typeof body === 'string' || Buffer.isBuffer(body)) {
      if (body !== undefined) request.setHeader('Content-Length', Buffer.byteLength(body));
      request.end(body);
    } else {
      for (const chunk of body) request.write(chunk);
      request.end();
    }
  });
}
