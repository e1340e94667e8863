import type { Request, RequestHandler, Response } from 'express';
import type { GraphQLSchema } from 'graphql';
import { assertOwnOrigin, authenticateSession } from '../../src/identity/authenticate-session.ts';
import { authenticate } from '../../src/auth/authenticate.ts';
import { anonymous, type Caller } from '../../src/auth/caller.ts';
import type { Env } from '../../src/env.ts';
import { type Context, createContext } from '../../src/graph/context.ts';
import { toGraphQLError } from '../../src/graph/errors.ts';
import { mutationsAsked } from '../../src/graph/root-fields.ts';
import { createGraphQLServer } from '../../src/graph/yoga.ts';
import { requestHashOf } from '../../src/kit/canonical-json.ts';
import { DomainError, invalid, NotAuthorized } from '../../src/kit/errors.ts';
import { recordRefusal } from '../../src/kit/refusals.ts';
import { idempotencyKeyOf } from '../../src/kit/idempotency-key.ts';
import { assertJsonContent, readBody, readRefusedBody } from '../engine/body.ts';
import { exchangeOf } from '../engine/exchange.ts';
import { assertOneAuthorization } from '../engine/one-authorization.ts';
import { sendJson } from '../engine/respond.ts';

interface Admission {
  caller: Caller;
  headers: Record<string, string>;
  viaCookie?: boolean;
}

const bodyBytesMax = 1024 * 1024;

/**
 * The door of `/graphql`. No document can be it: it is where documents come in. A request with a key costs one token, as a REST
 * call does, and without a credential there is still the schema to look at.
 */
export function graphqlRoute(env: Env, schema: GraphQLSchema): RequestHandler {
  const server = createGraphQLServer(env, schema);
  return async (request, response) => {
    const exchange = exchangeOf(request);
    exchange.route = '/graphql';
    let headers: Record<string, string> = {};
    try {
      assertOneAuthorization(request);
      const ip = request.ip ?? '';
      const admission = await admit(env, request, ip);
      const { caller, viaCookie = false } = admission;
      headers = admission.headers;
      if (viaCookie)
        await assertOwnPage(schema, request, createContext({ env, caller, requestId: exchange.requestId, ip }));
      if ('keyPrefix' in caller) exchange.keyPrefix = caller.keyPrefix;
      const body = await bodyOf(request);
      const key = request.method === 'POST' ? idempotencyKeyOf(request) : null;
      const idempotency = key === null ? null : { key, requestHash: requestHashOf(body) };
      const context = createContext({ env, caller, requestId: exchange.requestId, ip, idempotency, freeForm: true });
      for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
      // An answer may hold a secret, or what belongs to its caller alone.
      response.setHeader('Cache-Control', 'no-store');
      announce(response, context);
      await server(request, response, { context });
    } catch (error) {
      // The status is for the GraphQL server, which is not asked here.
      const {
        message,
        extensions: { http: _http, ...extensions },
      } = toGraphQLError(env, error);
      const problem = error instanceof DomainError ? error : null;
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

/** An API key, a session's token, a session's cookie, or nobody. The Authorization header decides where there is one. */
async function admit(env: Env, request: Request, ip: string): Promise<Admission> {
  const { authorization, cookie } = request.headers;
  // A token of the identity provider has dots, and a key has none.
  if (authorization !== undefined)
    return authorization.includes('.')
      ? authenticateSession(env, { authorization, cookie: undefined })
      : authenticate(env, { authorization, ip });
  if (cookie === undefined) return { caller: anonymous, headers: {} };
  return authenticateSession(env, { authorization, cookie }).catch(nobodyIfRefused);
}

/** A browser sends the cookie by itself, also when another site's page tells it to. */
async function assertOwnPage(schema: GraphQLSchema, request: Request, context: Context): Promise<void> {
  try {
    assertOwnOrigin(context.env.config, request.headers.origin);
  } catch (refusal) {
    const body = request.method === 'POST' ? await readRefusedBody(request, bodyBytesMax) : null;
    for (const action of mutationsAsked(schema, body)) await recordRefusal(context, { action, target: null }, refusal);
    throw refusal;
  }
  // A form of another site cannot send JSON.
  if (request.method === 'POST') assertJsonContent(request);
}

/** A cookie that has run out must not close the schema, and with it the page on which one signs in again. */
function nobodyIfRefused(error: unknown): Admission {
  if (error instanceof NotAuthorized) return { caller: anonymous, headers: {} };
  throw error;
}

/** The body, read here so that it is bounded; the GraphQL server takes it from the request. */
async function bodyOf(request: Request): Promise<unknown> {
  if (request.method !== 'POST') return null;
  const body = await readBody(request, bodyBytesMax);
  if (typeof body['query'] !== 'string') throw invalid('query', 'is required: a GraphQL document as text');
  request.body = body;
  return body;
}

/** Whether the answer is a stored one, and whether a field's limit was reached, is known when it is written, and its headers go out then. */
function announce(response: Response, context: Pick<Context, 'replayed' | 'retryAfterS'>): void {
  const writeHead = response.writeHead.bind(response) as (...parts: unknown[]) => Response; // one signature for all its overloads
  response.writeHead = (...parts: unknown[]) => {
    if (context.replayed && !response.headersSent) response.setHeader('Idempotent-Replayed', 'true');
    if (context.retryAfterS !== null && !response.headersSent)
      response.setHeader('Retry-After', String(context.retryAfterS));
    return writeHead(...parts);
  };
}
