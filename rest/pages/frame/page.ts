import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { splitAddress } from '../../../src/lib/network.ts';
import { escapeHtml } from '../../../src/lib/text.ts';
import { type Brand, brandHead, brandStyle, platformName } from '../../../src/theme/brand.ts';
import { languages, type Words } from '../../../src/theme/words.ts';
import { wordsFor } from '../../engine/reader.ts';
import { fileUrls } from './assets.ts';

export interface SitePage {
  status?: number;
  /** The heading of the page, and its title in the browser. Plain text, which is escaped here. */
  title: string;
  /** HTML. Values from outside must be escaped. */
  content: string;
  /** For pages for reading rather than forms. Their content consists of sections. */
  isWide?: boolean;
  /** The partner of the page. Without one it has the platform's own colors and name. */
  brand?: Brand | null;
  /** Whether its forms are sent by the script of the pages. */
  hasScript?: boolean;
  /** For pages that operators and developers see: there is one language. */
  isEnglishOnly?: boolean;
  /**
   * Whether it has no links to other languages: it ends a flow, so that opening its address again would show another
   * page, or its address contains a secret.
   */
  isFinal?: boolean;
  /**
   * For pages whose forms are sent without a script and redirect to other sites, and for pages that other sites frame.
   */
  policy?: { formAction?: '*'; frameAncestors?: '*' };
  headers?: Readonly<Record<string, string>>;
}

type PageRequest = IncomingMessage & { originalUrl?: string };

/** Sends a page of the platform. It loads nothing from other sites, and runs no inline script. */
export function sendSitePage(request: PageRequest, response: ServerResponse, page: SitePage): void {
  if (response.headersSent || response.destroyed) return;
  const { status = 200, hasScript = false, brand = null, policy = {}, headers = {} } = page;
  const url = request.originalUrl ?? request.url ?? '/';
  const words = wordsFor(request, response, page.isEnglishOnly);
  const style = brand === null ? '' : brandStyle(brand);
  const isReadable = status === 200 && request.method === 'GET' && !page.isEnglishOnly && !page.isFinal;
  const html = htmlOf(page, { url, words, style, links: isReadable ? languageLinks(url, words) : '' });
  if (policy.frameAncestors) response.removeHeader('X-Frame-Options');
  response.writeHead(status, {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Length': Buffer.byteLength(html),
    'Content-Security-Policy': [
      "default-src 'none'",
      `style-src 'self'${style && ` 'sha256-${createHash('sha256').update(style).digest('base64')}'`}`,
      "img-src 'self'",
      "font-src 'self'",
      ...(hasScript ? ["script-src 'self'", "connect-src 'self'"] : []),
      `form-action ${policy.formAction ?? "'none'"}`,
      `frame-ancestors ${policy.frameAncestors ?? "'none'"}`,
      "base-uri 'none'",
    ].join('; '),
    'Cache-Control': 'no-store',
    Vary: 'Accept, Accept-Language, Cookie',
    'Content-Language': words.language,
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
    ...headers,
  });
  response.end(html);
}

function htmlOf(
  page: SitePage,
  { url, words, style, links }: { url: string; words: Words; style: string; links: string },
): string {
  const { title, content, isWide = false, brand = null, hasScript = false } = page;
  const root = rootFrom(url);
  const body = `<body class="${isWide ? 'wide' : 'narrow'}"${hasScript ? problemsOf(words) : ''}>
<header class="masthead">${mastheadOf(brand, root)}</header>
<main${isWide ? '' : ' class="card"'}>
<h1>${escapeHtml(title)}</h1>
${content}
</main>
<footer class="foot">${links}<span>${platformName}</span></footer>
${hasScript ? `<script src="${root}${fileUrls.script}"></script>\n` : ''}</body>`;
  return documentOf({
    language: words.language,
    root,
    title: `${title} · ${brand?.name ?? platformName}`,
    style,
    body,
  });
}

export interface PageDocument {
  language: string;
  /** The path from the page to the root of the server, such as `../`. */
  root: string;
  /** Plain text, which is escaped here. */
  title: string;
  /** CSS only for this page. */
  style?: string;
  /** Further CSS files, from the root. */
  styles?: readonly string[];
  /** The element `body`. */
  body: string;
}

/** The document around the body of a page of the platform. */
export function documentOf({ language, root, title, style = '', styles = [], body }: PageDocument): string {
  const links = [fileUrls.style, ...styles].map((path) => `<link rel="stylesheet" href="${root}${path}">\n`).join('');
  return `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="${root}${fileUrls.mark}">
${links}${style && `<style>${style}</style>\n`}<title>${escapeHtml(title)}</title>
</head>
${body}
</html>
`;
}

export function mastheadOf(brand: Brand | null, root: string): string {
  if (brand !== null) return brandHead(brand, root);
  return `<img src="${root}${fileUrls.mark}" alt=""><span>${platformName}</span>`;
}

/** The messages of the page's script, for errors whose text from the server is English only or does not arrive. */
function problemsOf({ text }: Words): string {
  const problems = {
    'data-problem': text('problem.server'),
    'data-problem-network': text('problem.network'),
    'data-problem-429': text('problem.tooMany'),
  };
  return Object.entries(problems)
    .map(([name, value]) => ` ${name}="${escapeHtml(value)}"`)
    .join('');
}

/** Links to the same page in the other languages. Other parameters of its address are kept, such as a ticket. */
function languageLinks(url: string, words: Words): string {
  const links = Object.entries(languages)
    .filter(([language]) => language !== words.language)
    .map(([language, name]) => {
      const query = new URLSearchParams(splitAddress(url).query);
      query.set('lang', language);
      return `<a href="?${escapeHtml(query.toString())}" lang="${language}" hreflang="${language}">${name}</a>`;
    });
  return `<nav aria-label="${escapeHtml(words.text('site.language'))}">${links.join(' ')}</nav>`;
}

/** The path to the root of this server from a page: relative, so that it works under any host name and prefix. */
export function rootFrom(url: string): string {
  return '../'.repeat(Math.max(0, splitAddress(url).path.split('/').length - 2)) || './';
}
