import { createHash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { escapeHtml } from '../../src/kit/html.ts';
import { style } from './style.ts';

export interface SitePage {
  status?: number;
  /** The heading of the page, and its title in the browser. */
  title: string;
  /** HTML. What comes from outside must be escaped. */
  content: string;
  /** The path of the page, from which the addresses of the others are derived. */
  path: string;
  /** The path of a script of this server, from its root. */
  script?: string;
  headers?: Readonly<Record<string, string>>;
}

const styleHash = createHash('sha256').update(style).digest('base64');

/** A page of the platform itself: `/`, and what a browser is shown for an error. It holds nothing of another site. */
export function sendSitePage(response: ServerResponse, page: SitePage): void {
  if (response.headersSent || response.destroyed) return;
  const { status = 200, title, content, path, script, headers = {} } = page;
  const root = rootFrom(path);
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="${root}favicon.ico">
<title>${escapeHtml(title)} · Partner Payments Platform</title>
<style>${style}</style>
</head>
<body>
${content}
${script === undefined ? '' : `<script src="${root}${script}"></script>\n`}</body>
</html>
`;
  const source = script === undefined ? '' : "; script-src 'self'; connect-src 'self'";
  response.writeHead(status, {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Length': Buffer.byteLength(html),
    'Content-Security-Policy':
      `default-src 'none'; style-src 'sha256-${styleHash}'; img-src 'self'${source}; form-action 'none'; ` +
      "frame-ancestors 'none'; base-uri 'none'",
    'Cache-Control': 'no-store',
    Vary: 'Accept',
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
    ...headers,
  });
  response.end(html);
}

/** The root of this server as seen from a page of it: relative, so that it holds under any host name and prefix. */
export function rootFrom(path: string): string {
  return '../'.repeat(Math.max(0, path.split('/').length - 2)) || './';
}
