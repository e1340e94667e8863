import type { IncomingMessage, ServerResponse } from 'node:http';
import { escapeHtml } from '../../src/kit/html.ts';
import type { Words } from '../../src/look/words.ts';
import { exchangeOf } from '../engine/exchange.ts';
import { type ErrorServices, type Headers, reportError, sendError } from '../engine/respond.ts';
import { type Problem, surfaces } from '../surfaces.ts';
import { acceptsPage } from './accepts-page.ts';
import { rootFrom, sendSitePage } from './page.ts';
import { wordsFor } from './words-for.ts';

/** Answers an error outside of the APIs: with a page to a browser that opens an address, and with JSON to others. */
export function refuse(
  services: ErrorServices,
  request: IncomingMessage & { originalUrl?: string },
  response: ServerResponse,
  error: unknown,
  headers: Headers = {},
): void {
  if (!acceptsPage(request)) return sendError(services, surfaces.public, request, response, error, headers);
  const problem = reportError(services, surfaces.public, request, error);
  const path = (request.originalUrl ?? request.url ?? '/').split('?', 1)[0] ?? '/';
  const words = wordsFor(request);
  const { requestId } = exchangeOf(request);
  sendSitePage(request, response, {
    status: problem.status,
    title: errorTexts(words, problem.status).title,
    content: contentOf(words, problem, requestId, isForVisitors(path) ? null : rootFrom(path)),
    headers: { ...headers, ...problem.headers, 'Request-Id': requestId },
  });
}

/** Shoppers and cardholders: nothing else here is for them. */
function isForVisitors(path: string): boolean {
  return /^\/(checkout|3ds|test)\//.test(path);
}

function contentOf(words: Words, { status, message }: Problem, requestId: string, root: string | null): string {
  const { html } = words;
  const { sentence } = errorTexts(words, status);
  // To visitors the exact words of the API say nothing; to a developer they may say it all.
  const exact =
    root === null || generalStatuses.has(status) ? '' : `<p class="soft" lang="en">${escapeHtml(message)}</p>\n`;
  const link = root === null ? '' : `<p><a href="${root}">${html('error.home')}</a></p>\n`;
  return `<p>${escapeHtml(sentence)}</p>
${exact}${link}<p><small>${status} · ${html('error.request', { id: requestId })}</small></p>`;
}

/** Errors whose message says no more than their page. */
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

/** What a page says of an error, by its status, in the language of the visitor. */
export function errorTexts({ text }: Words, status: number): { title: string; sentence: string } {
  const known = Object.entries(keys).find(([each]) => each === String(status))?.[1];
  const key = known ?? (status < 500 ? keys[409] : keys[500]);
  return { title: text(key), sentence: text(`${key}.text`) };
}
