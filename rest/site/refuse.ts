import type { IncomingMessage, ServerResponse } from 'node:http';
import { escapeHtml } from '../../src/kit/html.ts';
import { exchangeOf } from '../engine/exchange.ts';
import { type ErrorServices, type Headers, reportError, sendError } from '../engine/respond.ts';
import { type Problem, surfaces } from '../surfaces.ts';
import { acceptsPage } from './accepts-page.ts';
import { rootFrom, sendSitePage } from './page.ts';

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
  sendSitePage(response, {
    status: problem.status,
    title: titleOf(problem.status),
    content: contentOf(problem, exchangeOf(request).requestId, isForVisitors(path) ? null : rootFrom(path)),
    path,
    headers: { ...headers, ...problem.headers, 'Request-Id': exchangeOf(request).requestId },
  });
}

/** Shoppers and cardholders: nothing else here is for them. */
function isForVisitors(path: string): boolean {
  return /^\/(checkout|3ds|test)\//.test(path);
}

const titles: Readonly<Record<number, string>> = {
  400: 'This link does not work',
  401: 'Sign in first',
  403: 'This is not open to you',
  404: 'Page not found',
  405: 'This page cannot do that',
  410: 'This page is no longer here',
  421: 'Another address',
  429: 'Too many requests',
  503: 'Try again in a moment',
};

function titleOf(status: number): string {
  return titles[status] ?? (status < 500 ? 'That did not work' : 'Something went wrong');
}

function contentOf({ status, message }: Problem, requestId: string, root: string | null): string {
  const sentence =
    status === 401
      ? 'This page is for people who are signed in.'
      : status === 404
        ? 'There is nothing at this address. The link may be old or not complete.'
        : message;
  const links = root === null ? '' : `<p><a href="${root}">Go to the home page</a></p>\n`;
  return `<main class="small">
<p class="status">${status}</p>
<h1>${escapeHtml(titleOf(status))}</h1>
<p>${escapeHtml(sentence)}</p>
${links}<p class="soft">Request <code>${escapeHtml(requestId)}</code></p>
</main>`;
}
