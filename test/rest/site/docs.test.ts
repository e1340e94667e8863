import { describe, expect, test } from 'vitest';
import { docsFiles } from '../../../rest/site/docs/library.ts';
import { renderPage } from '../../../rest/site/docs/render.ts';
import { pages } from '../../support/documents.ts';
import { startTestPlatform, usePlatform } from '../../support/platform.ts';

/** The text of every page by its path on the server. */
const html = new Map<string, string>();
const markdown = new Map<string, string>();

const get = (path: string, headers: Record<string, string> = {}, server = platform) =>
  fetch(server.url + path, { headers, redirect: 'manual' });

const platform = await usePlatform({ env: { GRAPHIQL: 'true' } });
for (const { address, isPage } of (await docsFiles()).values())
  if (isPage) {
    html.set(`/docs/${address}`, await (await get(`/docs/${address}`)).text());
    const [, own = ''] = /<a href="([^"]+)">This page as Markdown/.exec(html.get(`/docs/${address}`) ?? '') ?? [];
    const { pathname } = new URL(own, `${platform.url}/docs/${address}`);
    markdown.set(pathname, await (await get(pathname)).text());
  }

/** The links of a page that lead to this server, as absolute addresses. */
function linksOf(path: string, text: string, pattern: RegExp): URL[] {
  return [...text.matchAll(pattern)]
    .map(([, href = '']) => new URL(href.replaceAll('&#38;', '&'), platform.url + path))
    .filter(({ origin }) => origin === platform.url);
}

describe('the documentation at /docs/', () => {
  test('has every page of docs/, and those of the top level and of the SDK', async () => {
    const files = [...(await docsFiles()).values()].filter(({ isPage }) => isPage).map(({ file }) => file);
    expect(files.sort()).toEqual([...pages, 'sdk/README.md'].sort());
  });

  test('200 for every page and its Markdown: typed, with a policy that runs no script of its text', async () => {
    expect(html.size).toBeGreaterThan(70);
    for (const [path, text] of html) {
      const [, heading = ''] = /<h1 id="[^"]+">(.*?)<\/h1>/.exec(text) ?? [];
      expect([path, heading]).not.toEqual([path, '']);
      expect([path, text.includes('<title>undefined')]).toEqual([path, false]);
    }
    for (const [path, text] of markdown) expect([path, text.startsWith('# ')]).toEqual([path, true]);
    const page = await get('/docs/guides/payments');
    expect(page.headers.get('Content-Type')).toBe('text/html; charset=utf-8');
    expect(page.headers.get('Content-Security-Policy')).toMatch(/^default-src 'none'; script-src 'self'; style-src 's/);
    expect(page.headers.get('X-Content-Type-Options')).toBe('nosniff');
    expect((await get('/docs/guides/payments.md')).headers.get('Content-Type')).toBe('text/markdown; charset=utf-8');
  });

  test('every link of every page leads to something that is there, and every fragment to a heading', async () => {
    const status = new Map<string, number>();
    const broken: string[] = [];
    for (const [path, text] of html)
      for (const { pathname, search, hash } of linksOf(path, text, /(?:href|src)="([^"]+)"/g)) {
        const target = html.get(pathname);
        if (!target && !status.has(pathname)) status.set(pathname, (await get(pathname + search)).status);
        if (!target && status.get(pathname) !== 200) broken.push(`${path}: ${pathname} is ${status.get(pathname)}`);
        const id = decodeURIComponent(hash.slice(1));
        if (target && id !== '' && !target.includes(`id="${id}"`)) broken.push(`${path}: ${pathname} has no #${id}`);
      }
    expect(broken).toEqual([]);
    expect([...status.keys()].filter((path) => path.startsWith('/docs/sdk/examples/')).length).toBeGreaterThan(0);
  });

  test('every link of the Markdown leads to Markdown or to a file', async () => {
    const broken: string[] = [];
    for (const [path, text] of markdown) {
      const prose = text.replace(/^```.*?^```$/gms, '').replace(/`[^`\n]*`/g, '');
      for (const { pathname } of linksOf(path, prose, /\]\(([^)\s]+)\)/g))
        if (!markdown.has(pathname) && (await get(pathname)).status !== 200) broken.push(`${path}: ${pathname}`);
    }
    expect(broken).toEqual([]);
  });

  test('every page is in the index, or in an index that is in it', () => {
    const linked = (path: string): string[] =>
      linksOf(path, html.get(path) ?? '', /href="([^"]+)"/g).map(({ pathname }) => pathname);
    const found = new Set(['/docs/', '/docs/contract/', '/docs/decisions'].flatMap((path) => [path, ...linked(path)]));
    expect([...html.keys()].filter((path) => !found.has(path))).toEqual([]);
  });

  test('302 to the address that differs by a slash, 404 for what is not there, whatever the path is made of', async () => {
    for (const [path, to] of [
      ['/docs', '/docs/'],
      ['/docs/self-hosting', '/docs/self-hosting/'],
      ['/docs/guides/payments/', '/docs/guides/payments'],
    ] as const) {
      const { status, headers } = await get(path);
      expect([path, status, new URL(headers.get('Location') ?? '', platform.url + path).pathname]).toEqual([
        path,
        302,
        to,
      ]);
    }
    // cspell:ignore fpackage fetc fpasswd cpackage
    for (const path of [
      '/docs/none',
      '/docs/%2e%2e%2fpackage.json',
      '/docs/..%2f..%2fetc%2fpasswd',
      '/docs/%2e%2e/%2e%2e/package.json',
      '/docs//etc/passwd',
      '/docs/guides%5c..%5c..%5cpackage.json',
      '/docs/guides/payments.md%00',
      '/docs/%zz',
      '/docs/constructor',
      '/docs/guides/',
      '/docs/Guides/payments',
      '/docs/samples/',
    ])
      expect([path, (await get(path)).status]).toEqual([path, 404]);
  });

  test('no page has what only a developer may see, such as the keys of a demo', () => {
    for (const [path, text] of [...html, ...markdown])
      expect([path, /tp_sk_(partner_)?(test|live)_[0-9A-Za-z]{40}/.test(text)]).toEqual([path, false]);
  });
});

test('/llms.txt names the platform and every page of the index, as Markdown at the public address', async () => {
  const answer = await get('/llms.txt');
  expect(answer.headers.get('Content-Type')).toBe('text/plain; charset=utf-8');
  const text = await answer.text();
  expect(text).toMatch(/^# Partner Payments Platform\n\n> .+\n\n## /);
  const named = [...text.matchAll(/^- \[[^\]]+\]\(([^)]+)\): ./gm)].map(([, url = '']) => url);
  expect(named.length).toBeGreaterThan(20);
  const { publicUrl } = platform.services.config;
  for (const url of named) expect([url, markdown.has(url.slice(publicUrl.length))]).toEqual([url, true]);
  const [, ...items] = (html.get('/docs/') ?? '').split('<nav id="pages"')[1]?.split('<li>') ?? [];
  expect(named).toHaveLength(items.length);
});

describe('the rest of the platform leads to it', () => {
  test('the home page links to it, and the API reference names it', async () => {
    const home = await get('/', { Accept: 'text/html' });
    expect(await home.text()).toContain('href="docs/"');
    expect(await (await get('/')).json()).toMatchObject({ guides: `${platform.services.config.publicUrl}/docs/` });
    const description: { externalDocs: unknown; info: { description: string } } = await (
      await get('/api/public/v1/openapi.json')
    ).json();
    expect(description.externalDocs).toMatchObject({ url: `${platform.services.config.publicUrl}/docs/` });
  });

  test('DOCS=false: 404, nothing links to it, and /docs leads to the API reference', async () => {
    const without = await startTestPlatform({ env: { DOCS: 'false' } });
    try {
      for (const path of ['/docs/', '/docs/guides/payments', '/docs/guides/payments.md', '/llms.txt'])
        expect([path, (await get(path, {}, without)).status]).toEqual([path, 404]);
      expect((await get('/docs', {}, without)).headers.get('Location')).toBe('api/public/v1/docs');
      expect(await (await get('/', { Accept: 'text/html' }, without)).text()).not.toContain('href="docs/"');
      expect(await (await get('/api/public/v1/openapi.json', {}, without)).json()).not.toHaveProperty('externalDocs');
    } finally {
      await without.close();
    }
  });
});

test('pages show pictures of the documentation, which are 200 with their type', async () => {
  const path = '/docs/guides/console-screens';
  const pictures = linksOf(path, html.get(path) ?? '', /<img src="([^"]+\.webp)"/g);
  expect(pictures.length).toBeGreaterThan(20);
  for (const { pathname } of pictures) {
    const { status, headers } = await get(pathname);
    expect([pathname, status, headers.get('Content-Type')]).toEqual([pathname, 200, 'image/webp']);
  }
});

describe('a page is rendered', () => {
  const page = { file: 'docs/guides/x.md', address: 'guides/x', isPage: true, isPicture: false };
  const render = async (text: string) => renderPage(page, text, await docsFiles());

  test('its HTML is shown as text, its comments are left out, and no link runs a script', async () => {
    const { html: rendered } = await render(
      '# T\n\n<!-- hidden -->\n\n<script>alert(1)</script> `<b>`\n\n[x](javascript:alert(1)) ![i](x.png)\n',
    );
    expect(rendered).not.toMatch(/<script|<b>|hidden|javascript:|<img/);
    expect(rendered).toContain('&#60;script&#62;');
  });

  test('the same heading twice has two anchors, as on GitHub; a link to a file that is not served is its text', async () => {
    const { html: rendered, headings } = await render(
      '# T\n\n## Events & `x`\n\n## Events & `x`\n\n[a](../../src/main.ts)',
    );
    expect(headings.map(({ id }) => id)).toEqual(['events--x', 'events--x-1']);
    expect(rendered).toContain('<p>a</p>');
  });

  test('links lead to pages without their ending, to this server instead of localhost, and else stay', async () => {
    const { html: rendered } = await render(
      '[a](payments.md#orders) [b](../self-hosting/README.md) [c](http://localhost:4000/api/public/v1/docs) [d](#e) ' +
        '[e](https://example.com/x)',
    );
    expect([...rendered.matchAll(/href="([^"]+)"/g)].map(([, href]) => href)).toEqual([
      './payments#orders',
      '../self-hosting/',
      '../../api/public/v1/docs',
      '#e',
      'https://example.com/x',
    ]);
  });
});
