import type { IncomingMessage, ServerResponse } from 'node:http';
import { toGraphQLError } from '../../src/graph/errors.ts';
import type { DomainError } from '../../src/kit/errors.ts';
import type { Services } from '../../src/services.ts';
import { acceptsPage } from '../site/accepts-page.ts';
import { refuse } from '../site/refuse.ts';
import { surfaces } from '../surfaces.ts';
import { exchangeOf } from './exchange.ts';
import { noteResult } from './outcome.ts';
import { sendError, sendJson } from './respond.ts';

/** Answers a request that is refused before it reaches its surface, in the form of that surface, or with a page. */
export function refuseEarly(
  services: Services,
  request: IncomingMessage & { path: string },
  response: ServerResponse,
  refusal: DomainError,
): void {
  const { path } = request;
  const { public: otherwise, plugins, iam } = surfaces;
  const surface = [plugins, iam].find(({ root }) => path.startsWith(root)) ?? otherwise;
  const isGraph = path === '/graphql';
  exchangeOf(request).route = isGraph ? path : path.startsWith(surface.root) ? surface.root : 'admission';
  if (acceptsPage(request) && !path.startsWith('/api/')) return refuse(services, request, response, refusal);
  if (!isGraph) return sendError(services, surface, request, response, refusal);
  const {
    message,
    extensions: { http: _http, ...extensions },
  } = toGraphQLError(services, refusal);
  noteResult(exchangeOf(request), { errors: [{ extensions }] });
  sendJson(request, response, refusal.status, { errors: [{ message, extensions }] }, refusal.headers);
}
