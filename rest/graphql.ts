import type { Request, RequestHandler, Response } from 'express';
import { type GraphQLSchema, getIntrospectionQuery, graphqlSync } from 'graphql';
import { authenticate } from '../src/auth/authenticate.ts';
import { anonymous, type Caller } from '../src/auth/caller.ts';
import { type Context, createContext } from '../src/call/context.ts';
import { idempotencyKeyOf } from '../src/call/idempotency-key.ts';
import { requestedMutations } from '../src/graph/bounds/document.ts';
import { clientErrorOf, toGraphQLError } from '../src/graph/errors.ts';
import { createGraphQLServer, type NotedResult } from '../src/graph/yoga.ts';
import { authenticateSession } from '../src/iam/public.ts';
import { Forbidden, invalid, NotAuthorized, NotFound } from '../src/lib/errors.ts';
import { requestHashOf } from '../src/lib/json.ts';
import { addressLimit } from '../src/limits/windows.ts';
import type { Services } from '../src/services.ts';
import { type Admission, type Authenticate, admit, assertOwnPage } from './engine/admit.ts';
import { assertJsonContent, ConnectionLost, readBody, readRefusedBody, textWithFractions } from './engine/body.ts';
import { exchangeOf, noteResult } from './engine/exchange.ts';
import { acceptsPage, hasJustWritten, languageFor, noteWrite } from './engine/reader.ts';
import { encodeAnswer, failedCall, type Headers, sendJson } from './engine/respond.ts';
import { createGraphiql } from './pages/developers/graphiql.ts';
import { type Asset, createAsset, once, sendAsset } from './pages/frame/assets.ts';

/** The introspection query of GraphQL's own tools, with everything that they may request. */
const everything = getIntrospectionQuery({
  specifiedByUrl: true,
  directiveIsRepeatable: true,
  schemaDescription: true,
  inputValueDeprecation: true,
  experimentalDirectiveDeprecation: true,
  oneOf: true,
});

/** The answers to the introspection queries of GraphQL's own tools by their text. Each is made once. */
function toolAnswers(schema: GraphQLSchema): Map<unknown, () => Promise<Asset>> {
  const make = async (source: string) => createAsset('schema.json', JSON.stringify(graphqlSync({ schema, source })));
  return new Map([getIntrospectionQuery(), everything].map((query) => [query, once(() => make(query))]));
}

const bodyBytesMax = 1024 * 1024;
const graphType = 'application/graphql-response+json';

/** Requests without a credential, by address: reading the schema costs more than most calls with one. */
const anonymousPerMinute = 300;

/**
 * The handler of `/graphql`, written by hand because it receives documents. With a key, each root field costs one
 * token, like a REST call. A request without a credential may read the schema.
 */
export function graphqlRoute(services: Services, schema: GraphQLSchema): RequestHandler {
  const server = createGraphQLServer(services, schema);
  const answers = services.config.graphqlIntrospection ? toolAnswers(schema) : null;
  const countAnonymous = addressLimit(services, anonymousPerMinute);
  const graphiql = services.config.graphiql ? createGraphiql(services, schema, answers?.get(everything)) : null;
  return async (request, response) => {
    const exchange = exchangeOf(request);
    exchange.route = '/graphql';
    exchange.hasBegun = false;
    let headers: Headers = {};
    if (request.method === 'GET' || request.method === 'HEAD') {
      const [, file] = request.path.split('/');
      if (file) {
        if (await graphiql?.sendFile(request, response, file)) return;
        throw new NotFound('Path not found.');
      }
      if (acceptsPage(request)) return graphiql ? graphiql.sendPage(request, response) : response.redirect(303, './');
    }
    try {
      const ip = request.ip ?? '';
      const admission = await admit(services, request, authenticateAny, ip);
      const { caller, viaCookie = false } = admission;
      headers = admission.headers;
      if (caller.kind === 'anonymous') countAnonymous(ip);
      assertSessionUser(request, caller);
      if (viaCookie) {
        const context = createContext({ services, caller, requestId: exchange.requestId, ip });
        const isPost = request.method === 'POST';
        await assertOwnPage(context, request, async () =>
          requestedMutations(schema, isPost ? await readRefusedBody(services, request, bodyBytesMax) : null),
        );
        // A form of another site cannot send JSON, so the content type is checked as well.
        if (isPost) assertJsonContent(request);
      }
      const body = await bodyOf(services, request);
      const isWhole = (body?.['operationName'] ?? 'IntrospectionQuery') === 'IntrospectionQuery';
      const prepared = isWhole ? answers?.get(body?.['query']) : undefined;
      if (prepared) {
        const asset = await prepared();
        const isGraph = request.headers.accept?.includes(graphType);
        return await sendAsset(
          request,
          response.set(headers),
          isGraph ? { ...asset, type: `${graphType}; charset=utf-8` } : asset,
          'no-store',
        );
      }
      const key = request.method === 'POST' ? idempotencyKeyOf(request) : null;
      const idempotency = key === null ? null : { key, requestHash: requestHashOf(body) };
      const context = createContext({
        services,
        caller,
        requestId: exchange.requestId,
        ip,
        idempotency,
        hasJustWritten: hasJustWritten(request),
        bodyText: body === null ? undefined : textWithFractions(body),
        language: () => languageFor(request),
      });
      for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
      // An answer may contain a secret, or data of its caller only.
      response.setHeader('Cache-Control', 'no-store');
      request.headers.accept = acceptOf(request);
      const noted = (result: NotedResult) => noteResult(exchange, result);
      await sendAnswer(
        request,
        response,
        await server.handleNodeRequestAndResponse(request, response, { context, noteResult: noted }),
        context,
      );
    } catch (error) {
      if (error instanceof ConnectionLost) throw error;
      // `http` is meant for the GraphQL server, which did not run.
      const {
        message,
        extensions: { http: _http, ...extensions },
      } = toGraphQLError(services, error, failedCall(request));
      const problem = clientErrorOf(error, failedCall(request));
      noteResult(exchange, { errors: [{ extensions }] });
      sendJson(
        request,
        response,
        problem?.status ?? 500,
        { errors: [{ message, extensions }] },
        { ...headers, ...problem?.headers },
      );
    }
  };
}

/**
 * Authenticates an API key, a session's token, or a session's cookie; without any of them the caller is anonymous. The
 * Authorization header takes precedence over the cookie.
 */
const authenticateAny: Authenticate = (services, { authorization, cookie, ip }) => {
  // A token of the identity provider contains dots, and a key does not.
  if (authorization?.includes('.')) return authenticateSession(services, { authorization, cookie: undefined });
  if (authorization !== undefined) return authenticate(services, { authorization, ip });
  if (cookie === undefined) return Promise.resolve({ caller: anonymous, headers: {} });
  return authenticateSession(services, { authorization, cookie }).catch(anonymousIfRefused);
};

/**
 * If another user signs in in a second tab, an open page would continue with the cookie of that user. `Session-User`
 * names the user for whom the page was opened: nothing is done or shown in the session of another one.
 */
function assertSessionUser({ headers }: Request, caller: Caller): void {
  const named = headers['session-user'];
  if (named === undefined || caller.kind !== 'session' || named === caller.userId) return;
  throw new Forbidden(
    'session_of_another_user',
    'Another user has signed in with this browser since the page was opened (session_of_another_user). Nothing was ' +
      'done. Sign in again as before, or reload the page.',
  );
}

/** An expired cookie must not block the schema, nor the page on which the user signs in again. */
function anonymousIfRefused(error: unknown): Admission {
  if (error instanceof NotAuthorized) return { caller: anonymous, headers: {} };
  throw error;
}

const answerTypes = ['application/json', graphType, 'application/*', '*/*'];

/** The GraphQL server would run an operation and then answer 406 without a body. Whatever is accepted, it is JSON. */
function acceptOf({ headers: { accept = '*/*' } }: Request): string {
  const types = accept.split(',').map((type) => type.split(';')[0]?.trim() ?? '');
  return types.some((type) => answerTypes.includes(type)) ? accept : 'application/json';
}

/** Reads the body with a size limit. The GraphQL server gets it from the request. */
async function bodyOf(services: Services, request: Request): Promise<Record<string, unknown> | null> {
  if (request.method !== 'POST') return null;
  const body = await readBody(services, request, bodyBytesMax);
  if (typeof body['query'] !== 'string') throw invalid('query', 'is required: a GraphQL document as text');
  request.body = body;
  return body;
}

/**
 * Writes the answer, with the headers that depend on the result: a replay, a limit, and the remaining tokens of the
 * bucket.
 */
async function sendAnswer(
  request: Request,
  response: Response,
  answer: globalThis.Response,
  { services, caller, answer: { isRead, replayed, retryAfterS, rateHeaders } }: Context,
): Promise<void> {
  const text = await answer.text();
  if (response.headersSent || response.destroyed) return;
  const { body, headers } = isRead ? await encodeAnswer(request, text) : { body: text, headers: {} };
  response.setHeaders(answer.headers);
  for (const [name, value] of Object.entries({ ...rateHeaders, ...headers })) response.setHeader(name, value);
  if (!isRead && caller.kind === 'session') noteWrite(services, response);
  if (replayed) response.setHeader('Idempotent-Replayed', 'true');
  if (retryAfterS !== null) response.setHeader('Retry-After', String(retryAfterS));
  response.writeHead(answer.status, { 'Content-Length': Buffer.byteLength(body) }).end(body);
}
