import type { IncomingMessage, ServerResponse } from 'node:http';
import { toGraphQLError } from '../../../src/graph/errors.ts';
import type { DomainError } from '../../../src/lib/errors.ts';
import { splitAddress } from '../../../src/lib/network.ts';
import { escapeHtml } from '../../../src/lib/text.ts';
import type { Services } from '../../../src/services.ts';
import type { Brand } from '../../../src/theme/brand.ts';
import type { Words } from '../../../src/theme/words.ts';
import { exchangeOf, noteResult } from '../../engine/exchange.ts';
import { acceptsPage, wordsFor } from '../../engine/reader.ts';
import { type ErrorServices, reportError, sendError, sendJson } from '../../engine/respond.ts';
import { type Problem, surfaces } from '../../engine/surfaces.ts';
import { rootFrom, sendSitePage } from './page.ts';

/** The text of a page for an error, in place of that of its status, and the brand of the page. */
export interface Explanation {
  brand?: Brand | null;
  title?: string;
  sentence?: string;
  /** A link with which the visitor can continue. */
  link?: { href: string; label: string } | null;
}

/**
 * Answers an error outside of the APIs: with a page to a browser that opens an address, and with JSON to other clients.
 */
export function refuse(
  services: ErrorServices,
  request: IncomingMessage & { originalUrl?: string },
  response: ServerResponse,
  error: unknown,
  { brand = null, ...explained }: Explanation = {},
): void {
  if (!acceptsPage(request)) return sendError(services, surfaces.public, request, response, error);
  const problem = reportError(services, surfaces.public, request, error);
  const { path } = splitAddress(request.originalUrl ?? request.url ?? '/');
  const words = wordsFor(request);
  const { requestId } = exchangeOf(request);
  const said = { ...errorTexts(words, problem.status), ...explained };
  sendSitePage(request, response, {
    status: problem.status,
    title: said.title,
    brand,
    content: contentOf(words, problem, said, { requestId, root: isForVisitors(path) ? null : rootFrom(path) }),
    headers: { ...problem.headers, 'Request-Id': requestId },
  });
}

/** Whether the path is for shoppers and cardholders. */
function isForVisitors(path: string): boolean {
  return /^\/(checkout|cardholder|3ds|test|p|fields)\//.test(path);
}

function contentOf(
  { html }: Words,
  { status, message }: Problem,
  { sentence, link }: { sentence: string; link?: Explanation['link'] },
  { requestId, root }: { requestId: string; root: string | null },
): string {
  // The API's messages do not help visitors, but they help developers.
  const exact =
    root === null || generalStatuses.has(status) ? '' : `<p class="soft" lang="en">${escapeHtml(message)}</p>\n`;
  const onward = link
    ? `<a class="button" href="${escapeHtml(link.href)}">${escapeHtml(link.label)}</a>\n`
    : root === null
      ? ''
      : `<p><a href="${root}">${html('error.home')}</a></p>\n`;
  return `<p>${escapeHtml(sentence)}</p>
${exact}${onward}<p><small>${status} · ${html('error.request', { id: requestId })}</small></p>`;
}

/** Statuses whose messages contain no more than the page. */
const generalStatuses: ReadonlySet<number> = new Set([401, 404, 429, 500, 503]);

const keys = {
  400: 'error.badLink',
  401: 'error.signIn',
  403: 'error.closed',
  404: 'error.missing',
  405: 'error.method',
  409: 'error.conflict',
  410: 'error.gone',
  421: 'error.host',
  429: 'error.tooMany',
  500: 'error.server',
  503: 'error.away',
} as const;

/** The text of a page for an error, by its status, in the visitor's language. */
export function errorTexts({ text }: Words, status: number): { title: string; sentence: string } {
  const known = Object.entries(keys).find(([each]) => each === String(status))?.[1];
  const key = known ?? (status < 500 ? keys[409] : keys[500]);
  return { title: text(key), sentence: text(`${key}.text`) };
}

/** Answers a request that is rejected before it reaches its surface, in the format of that surface, or with a page. */
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
