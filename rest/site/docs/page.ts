import { escapeHtml } from '../../../src/lib/text.ts';
import { platformName } from '../../../src/theme/brand.ts';
import { surfaces } from '../../engine/surfaces.ts';
import { fileUrls } from '../../pages/frame/assets.ts';
import { documentOf, mastheadOf } from '../../pages/frame/page.ts';
import { type DocsFile, hrefBetween, markdownAddressOf } from './library.ts';
import type { NavigationGroup } from './navigation.ts';
import type { Heading, RenderedPage } from './render.ts';

/** The content security policy of the pages: nothing from other sites, and only files of this site. */
export const docsPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "font-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** A page of the documentation as HTML, with the list of all pages beside it. */
export function docsPage(page: DocsFile, rendered: RenderedPage, groups: readonly NavigationGroup[]): string {
  const root = hrefBetween(page.address, '../');
  const markdown = hrefBetween(page.address, markdownAddressOf(page.address));
  const body = `<body class="docs">
<a class="skip" href="#text">Skip to the text</a>
<header class="masthead">${mastheadOf(null, root)}
<nav class="tools" aria-label="Site"><a href="${root}">Home</a><a href="${hrefBetween(page.address, '')}">Documentation</a>
<a href="${root}${surfaces.public.root.slice(1)}/docs">API reference</a><a class="all-pages" href="#pages">All pages</a></nav></header>
<div class="columns">
<main id="text" class="card text">
${rendered.html}</main>
<nav id="pages" class="pages" aria-label="All pages">
${groups.map((group) => groupHtml(page, group, rendered.headings)).join('\n')}
</nav>
</div>
<footer class="foot"><span>${platformName}</span><a href="${escapeHtml(markdown)}">This page as Markdown</a></footer>
<script src="${root}${fileUrls.docsScript}"></script>
</body>`;
  return documentOf({
    language: 'en',
    root,
    title: `${rendered.title} · ${platformName}`,
    styles: [fileUrls.docsStyle],
    body,
  });
}

function groupHtml(page: DocsFile, { title, items }: NavigationGroup, headings: readonly Heading[]): string {
  const links = items.map((item) => {
    const isCurrent = item.address === page.address;
    const link = `<a href="${hrefBetween(page.address, item.address)}"${isCurrent ? ' aria-current="page"' : ''}>${escapeHtml(item.title)}</a>`;
    return `<li>${link}${isCurrent ? headingsHtml(headings) : ''}</li>`;
  });
  return `<h2>${escapeHtml(title)}</h2>\n<ul>\n${links.join('\n')}\n</ul>`;
}

function headingsHtml(headings: readonly Heading[]): string {
  if (headings.length < 2) return '';
  return `<ul>${headings.map(({ id, text }) => `<li><a class="part" href="#${id}">${escapeHtml(text)}</a></li>`).join('')}</ul>`;
}
