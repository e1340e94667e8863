import type { IncomingMessage, ServerResponse } from 'node:http';
import { authenticate as authenticateKey, type Admission } from '../../src/auth/authenticate.ts';
import type { ApiKeyCaller } from '../../src/auth/caller.ts';
import { scopesAllow } from '../../src/auth/scopes.ts';
import type { Env } from '../../src/env.ts';
import { createContext, type Idempotency } from '../../src/graph/context.ts';
import { issuesOfPlan } from '../../src/graph/input.ts';
import { requestHashOf } from '../../src/kit/canonical-json.ts';
import { Forbidden, InvalidInput, NotAuthorized, NotFound } from '../../src/kit/errors.ts';
import { idempotencyKeyOf } from '../../src/kit/idempotency-key.ts';
import type { Surface } from '../surfaces.ts';
import { ConnectionLost, readBody } from './body.ts';
import { withDefaults } from './defaults.ts';
import type { Endpoint } from './endpoint.ts';
import { exchangeOf } from './exchange.ts';
import { ignoredFieldsHeader } from './ignored-fields.ts';
import { omitNulls } from './omit-null.ts';
import { domainErrorOf, type Headers, sendError, sendJson } from './respond.ts';
import { createRouter } from './router.ts';

export type Authenticate = (env: Env, request: { authorization: string | undefined; ip: string }) => Promise<Admission>;

export interface SurfaceOptions {
  env: Env;
  surface: Surface;
  endpoints: readonly Endpoint[];
  authenticate?: Authenticate;
  /** The client's address, as far as the configuration lets us believe it. */
  addressOf?(request: IncomingMessage): string;
}

/** Answers a request whose path, without the surface's root, is `path`. */
export type SurfaceHandler = (request: IncomingMessage, response: ServerResponse, path: string) => Promise<void>;

/**
 * One surface as a function of request and answer. Its steps stand in the order of precedence of contract 5: the first that
 * refuses decides what the client hears.
 */
export function createSurface({ env, surface, endpoints, authenticate, addressOf = socketAddress }: SurfaceOptions): SurfaceHandler {
  const route = createRouter(endpoints);
  const admit = authenticate ?? (surface.credential === 'apiKey' ? authenticateKey : refuseEveryCaller);
  return async (request, response, path) => {
    const exchange = exchangeOf(request);
    exchange.route = surface.root;
    let headers: Headers = {};
    try {
      const ip = addressOf(request);
      const admission = await admit(env, { authorization: request.headers.authorization, ip });
      headers = admission.headers;
      exchange.keyPrefix = admission.caller.keyPrefix;
      const found = route(request.method ?? 'GET', path);
      if (found.kind === 'unknown') throw new NotFound('There is no such path.');
      if (found.kind === 'wrongMethod') {
        exchange.route = surface.root + found.path;
        if (request.method === 'OPTIONS') return void response.writeHead(204, { ...headers, Allow: found.allow }).end();
        headers = { ...headers, Allow: found.allow };
        throw methodNotAllowed(request.method, found.allow);
      }
      const { endpoint, params } = found;
      exchange.route = surface.root + endpoint.path;
      assertKindOfCaller(endpoint, admission.caller);
      const body = endpoint.method === 'POST' || endpoint.method === 'PUT' ? await readBody(request, surface.bodyBytesMax(endpoint.path)) : {};
      const idempotency = idempotencyOf(request, endpoint, params, body);
      const ignored = ignoredFieldsHeader(body, endpoint.body.fields);
      if (ignored !== undefined) headers = { ...headers, 'Ignored-Fields': ignored };
      const variables = variablesOf(endpoint, params, body);
      const issues = issuesOfPlan(endpoint.variables, variables);
      if (issues.length > 0) throw new InvalidInput(issues);
      const context = createContext({ env, caller: admission.caller, requestId: exchange.requestId, ip, idempotency });
      const answer = await executeEndpoint(endpoint, context, withDefaults(endpoint.variables, variables));
      if (context.replayed) headers = { ...headers, 'Idempotent-Replayed': 'true' };
      sendJson(request, response, 200, answer, headers, context.timings);
    } catch (error) {
      if (error instanceof ConnectionLost) return void response.destroy();
      sendError(env, surface, request, response, error, headers);
    }
  };
}

/** Sessions come with the identity provider; until then nobody can have one. */
async function refuseEveryCaller(): Promise<never> {
  throw new NotAuthorized('A session of the identity provider is required here; API keys are not taken.');
}

function assertKindOfCaller({ scopes }: Endpoint, caller: ApiKeyCaller): void {
  if (scopesAllow(scopes, caller)) return;
  const needed = scopes.partnerKey ? 'It takes a partner key.' : 'No API key may call it.';
  throw new Forbidden('forbidden_scope', `This endpoint is not open to a ${caller.kind === 'subKey' ? 'sub-key' : 'partner key'}. ${needed}`);
}

function idempotencyOf(request: IncomingMessage, endpoint: Endpoint, params: Readonly<Record<string, string>>, body: Readonly<Record<string, unknown>>): Idempotency | null {
  if (!endpoint.isMutation) return null;
  const key = idempotencyKeyOf(request.headers['idempotency-key']);
  return key === null ? null : { key, requestHash: requestHashOf({ params, body }) };
}

function variablesOf(endpoint: Endpoint, params: Readonly<Record<string, string>>, body: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const known: Record<string, unknown> = {};
  for (const name of endpoint.body.fields) {
    // Own properties only: every object answers to `constructor`.
    if (Object.hasOwn(body, name)) known[name] = body[name];
  }
  return endpoint.body.wholeAs === null ? { ...known, ...params } : { ...params, [endpoint.body.wholeAs]: known };
}

async function executeEndpoint(endpoint: Endpoint, context: ReturnType<typeof createContext>, variables: Record<string, unknown>): Promise<unknown> {
  const result = await endpoint.execute(context, variables);
  if (result.errors?.length) {
    // One error that is ours outweighs any that are the client's: half an answer would hide it.
    throw result.errors.find((error) => !domainErrorOf(error)) ?? result.errors[0];
  }
  const answer = result.data?.[endpoint.responseKey];
  if (answer === null || answer === undefined) throw new Error(`The root field of ${endpoint.name} gave nothing and no error.`);
  if (endpoint.omissions) omitNulls(answer, endpoint.omissions.children);
  return answer;
}

function methodNotAllowed(method: string | undefined, allow: string): InvalidInput {
  const message = `This path does not take ${method ?? 'this method'}: it takes ${allow}.`;
  return new InvalidInput([{ path: '', message }], message, 'METHOD_NOT_ALLOWED', 405);
}

function socketAddress(request: IncomingMessage): string {
  return request.socket.remoteAddress ?? '';
}
