import type { IncomingMessage, ServerResponse } from 'node:http';
import { authenticate as authenticateKey } from '../../src/auth/authenticate.ts';
import { type ApiKeyCaller, isSession, type SessionCaller } from '../../src/auth/caller.ts';
import { mayBeRepeat, refusalOf } from '../../src/auth/refuse.ts';
import { type Context, createContext, type Idempotency } from '../../src/call/context.ts';
import { idempotencyKeyOf } from '../../src/call/idempotency-key.ts';
import { clientErrorOf } from '../../src/graph/errors.ts';
import { issuesMax, issuesOfPlan, unknownFieldIssues } from '../../src/graph/input/check.ts';
import { withWrittenAmounts, writtenAmountIssues } from '../../src/graph/input/written-amounts.ts';
import { endOperation } from '../../src/graph/plugins.ts';
import { authenticateSession } from '../../src/iam/public.ts';
import { type DomainError, Forbidden, type InputIssue, InvalidInput, invalid, NotFound } from '../../src/lib/errors.ts';
import { requestHashOf } from '../../src/lib/json.ts';
import { splitAddress } from '../../src/lib/network.ts';
import type { Services } from '../../src/services.ts';
import { recordRefusal } from '../../src/unit-of-work/refusals.ts';
import { type Authenticate, admit, assertOwnPage } from './admit.ts';
import { assertJsonContent, ConnectionLost, readBody, textWithFractions } from './body.ts';
import type { Endpoint } from './endpoint.ts';
import { exchangeOf, noteAnswer } from './exchange.ts';
import { languageFor } from './reader.ts';
import { type Headers, sendError, sendJson, sendRead } from './respond.ts';
import { createRouter, type Route } from './router.ts';
import { type Surface, surfaces } from './surfaces.ts';
import { ignoredFieldsHeader, omitNulls, restDialect, withDefaults } from './variables.ts';

export interface SurfaceOptions {
  services: Services;
  surface: Surface;
  endpoints: readonly Endpoint[];
  authenticate?: Authenticate<ApiKeyCaller | SessionCaller>;
  /** The client's address. Forwarded addresses are used only if the configuration trusts the proxy. */
  addressOf?(request: IncomingMessage): string;
}

/** Handles a request. `path` is the path without the root of the surface. */
export type SurfaceHandler = (request: IncomingMessage, response: ServerResponse, path: string) => Promise<void>;

/** Creates the request handler of a surface. Its checks are in the order of precedence of contract 5. */
export function createSurface({
  services,
  surface,
  endpoints,
  authenticate,
  addressOf = socketAddress,
}: SurfaceOptions): SurfaceHandler {
  const route = createRouter(endpoints);
  const reference = `${(surface.credential === 'apiKey' ? surfaces.public : surface).root}/docs`;
  const check: Authenticate<ApiKeyCaller | SessionCaller> =
    authenticate ?? (surface.credential === 'apiKey' ? authenticateKey : authenticateSession);
  return async (request, response, path) => {
    const exchange = exchangeOf(request);
    exchange.route = surface.root;
    exchange.hasBegun = false;
    let headers: Headers = {};
    let heldRefusal: DomainError | undefined;
    try {
      const ip = addressOf(request);
      const admission = await admit(services, request, check, ip);
      const { caller, viaCookie = false } = admission;
      headers = admission.headers;
      const found = route(request.method ?? 'GET', path);
      if (viaCookie)
        await assertOwnPage(createContext({ services, caller, requestId: exchange.requestId, ip }), request, () =>
          found.kind === 'found' && found.endpoint.isMutation ? [found.endpoint.rootField] : [],
        );
      if (found.kind === 'unknown')
        throw new NotFound(`Path not found.${found.hint || ` All are listed at ${reference}.`}`);
      if (found.kind === 'wrongMethod') {
        exchange.route = surface.root + found.path;
        if (request.method === 'OPTIONS')
          return void response
            .writeHead(204, { ...headers, 'Request-Id': exchange.requestId, Allow: found.allow })
            .end();
        headers = { ...headers, Allow: found.allow };
        throw methodNotAllowed(request.method, found);
      }
      const { endpoint, params } = found;
      exchange.route = surface.root + endpoint.path;
      const refusal = refusalOf(endpoint.scopes, caller, endpoint.isMutation);
      if (refusal && mayBeRepeat(endpoint.scopes, caller, mayHaveKey(request, endpoint))) heldRefusal = refusal;
      else if (refusal) {
        await recordRefused(endpoint, createContext({ services, caller, requestId: exchange.requestId, ip }), refusal);
        throw refusal;
      }
      // A form of another site cannot send JSON.
      if (viaCookie && endpoint.isMutation) assertJsonContent(request);
      const body =
        endpoint.method === 'POST' || endpoint.method === 'PUT'
          ? await readBody(
              services,
              request,
              surface.bodyBytesMax(endpoint.path),
              surface.bodyEntriesMax?.(endpoint.path),
            )
          : {};
      renameFormer(body, endpoint.body.fields);
      const given = { ...params, ...queryOf(request, endpoint) };
      const idempotency = idempotencyOf(request, endpoint, given, body);
      const ignored = endpoint.isMutation ? undefined : ignoredFieldsHeader(body, endpoint.body.fields);
      if (ignored !== undefined) headers = { ...headers, 'Ignored-Fields': ignored };
      const variables = variablesOf(endpoint, given, body);
      const issues = [
        ...unknownIssues(endpoint, body),
        ...withWrittenAmounts(
          issuesOfPlan(endpoint.variables, variables, restDialect),
          writtenAmountIssues(endpoint.variables, textWithFractions(body), (written) =>
            variablesOf(endpoint, given, written),
          ),
        ),
      ].slice(0, issuesMax);
      if (issues.length > 0) throw new InvalidInput(issues);
      const context = createContext({
        services,
        caller,
        requestId: exchange.requestId,
        ip,
        idempotency,
        language: () => languageFor(request),
      });
      exchange.hasBegun = endpoint.isMutation;
      const answer = await executeEndpoint(endpoint, context, withDefaults(endpoint.variables, variables));
      if (context.answer.replayed) headers = { ...headers, 'Idempotent-Replayed': 'true' };
      noteAnswer(exchange, answer);
      if (endpoint.isMutation) sendJson(request, response, 200, answer, headers, context.answer.timings);
      else await sendRead(request, response, answer, headers, context.answer.timings);
    } catch (error) {
      if (error instanceof ConnectionLost) return void response.destroy();
      if (error instanceof Forbidden && isProbe(route(request.method ?? 'GET', path)))
        return sendJson(request, response, 200, { ok: false, reason: error.data['reason'] }, headers);
      sendError(services, surface, request, response, exchange.hasBegun ? error : (heldRefusal ?? error), headers);
    }
  };
}

function isProbe(found: Route): boolean {
  return found.kind === 'found' && found.endpoint.isProbe;
}

/**
 * The unknown fields of the body of a write. A caller who misspells an optional field must not get a change without it.
 */
function unknownIssues(
  { isMutation, chargesAt, body: { fields } }: Endpoint,
  body: Record<string, unknown>,
): InputIssue[] {
  if (isMutation) return unknownFieldIssues(body, fields);
  if (!chargesAt) return [];
  return Object.keys(body)
    .filter((name) => !fields.has(name) && chargesAt.fields.has(name))
    .map((name) => ({
      path: name,
      message: `is not a field of this list: charges are made at POST ${chargesAt.path}`,
    }));
}

/** Every change that a signed-in user attempts is recorded in the audit log, including rejected ones. */
async function recordRefused({ isMutation, rootField }: Endpoint, context: Context, refusal: unknown): Promise<void> {
  if (isMutation && isSession(context.caller))
    await recordRefusal(context, { action: rootField, target: null }, refusal);
}

function mayHaveKey({ headers }: IncomingMessage, { isMutation }: Endpoint): boolean {
  return isMutation && headers['idempotency-key'] !== undefined;
}

function idempotencyOf(
  request: IncomingMessage,
  endpoint: Endpoint,
  params: Readonly<Record<string, unknown>>,
  body: Readonly<Record<string, unknown>>,
): Idempotency | null {
  if (!endpoint.isMutation) return null;
  const key = idempotencyKeyOf(request);
  return key === null ? null : { key, requestHash: requestHashOf({ params, body }) };
}

/**
 * The known query parameters. A Boolean that is neither `true` nor `false` remains a string, which validation then
 * rejects.
 */
function queryOf({ url = '' }: IncomingMessage, { queryParams }: Endpoint): Record<string, unknown> {
  if (queryParams.length === 0) return {};
  const known = new Set(queryParams.map(({ name }) => name));
  const sent = new URLSearchParams(splitAddress(url).query);
  const texts: Record<string, unknown> = Object.fromEntries(
    withFormerNames(known).flatMap((name) => {
      const [text, ...more] = sent.getAll(name);
      if (more.length > 0) throw invalid(name, 'must be sent only once');
      return text === undefined ? [] : [[name, text]];
    }),
  );
  renameFormer(texts, known);
  for (const { name, type } of queryParams) {
    const text = texts[name];
    if (String(type) === 'Boolean' && (text === 'true' || text === 'false')) texts[name] = text === 'true';
  }
  return texts;
}

function variablesOf(
  endpoint: Endpoint,
  params: Readonly<Record<string, unknown>>,
  body: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const known: Record<string, unknown> = {};
  for (const name of endpoint.body.fields) {
    // Own properties only: every object has an inherited `constructor`.
    if (Object.hasOwn(body, name)) known[name] = body[name];
  }
  return endpoint.body.wholeAs === null ? { ...known, ...params } : { ...params, [endpoint.body.wholeAs]: known };
}

async function executeEndpoint(
  endpoint: Endpoint,
  context: Context,
  variables: Record<string, unknown>,
): Promise<unknown> {
  const result = await executed(endpoint, context, variables);
  if (result.errors?.length) {
    // An error of the platform takes precedence over errors of the client, which would hide it.
    throw result.errors.find((error) => isOfPlatform(error)) ?? result.errors[0];
  }
  const answer = result.data?.[endpoint.responseKey];
  if (answer === null || answer === undefined)
    throw new Error(`The root field of ${endpoint.name} returned neither a value nor an error.`);
  if (endpoint.omissions) omitNulls(answer, endpoint.omissions.children);
  return answer;
}

async function executed(endpoint: Endpoint, context: Context, variables: Record<string, unknown>) {
  try {
    return await endpoint.execute(context, variables);
  } finally {
    endOperation(context);
  }
}

function isOfPlatform(error: unknown): boolean {
  return (clientErrorOf(error, { effect: 'unknown', hasKey: false })?.status ?? 500) >= 500;
}

function methodNotAllowed(method: string | undefined, { allow, hint }: { allow: string; hint: string }): InvalidInput {
  const message = `This path does not support ${method ?? 'this method'}. It supports ${allow}.${hint}`;
  return new InvalidInput([{ path: '', message }], message, 'METHOD_NOT_ALLOWED', 405);
}

function socketAddress(request: IncomingMessage): string {
  return request.socket.remoteAddress ?? '';
}

/** Former names of fields, by those of today. They are taken where an endpoint has a field of today's name only. */
const formerNames: ReadonlyMap<string, string> = new Map([['platformAccountId', 'accountId']]);

function formerNamesFor(known: ReadonlySet<string>): (readonly [name: string, former: string])[] {
  return [...formerNames].filter(([name, former]) => known.has(name) && !known.has(former));
}

/** The names of fields, with their former ones. */
export function withFormerNames(known: ReadonlySet<string>): string[] {
  return [...known, ...formerNamesFor(known).map(([, former]) => former)];
}

/** Gives the fields that were sent under former names those of today. In place, since `textWithFractions` is by object. */
export function renameFormer(sent: Record<string, unknown>, known: ReadonlySet<string>): void {
  for (const [name, former] of formerNamesFor(known)) {
    if (!Object.hasOwn(sent, former)) continue;
    if (Object.hasOwn(sent, name) && sent[name] !== sent[former])
      throw invalid(name, `and its former name ${former} have different values: send ${name} only`);
    sent[name] = sent[former];
    delete sent[former];
  }
}
