// cspell:ignore serviceworker
import { request } from 'node:http';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { manualClock } from '../../../src/lib/clock.ts';
import { startTestPlatform, type TestPlatform, usePlatform } from '../../support/platform.ts';
import { disableRateLimits } from '../../support/rates.ts';
import { type SeededAccount, seedPartner } from '../../support/seed.ts';
import { asset, type Plugins, pluginsOf, presets } from './sample.ts';

const clock = manualClock(new Date('2026-06-01T12:00:30.000Z'));

let account: SeededAccount;
let plugins: Plugins;
let storeId: string;
let deploymentId: string;
let id: string;
const platform = await usePlatform();
/** A second process with a fixed clock, so that its rate limit does not reset. */
const second = await startTestPlatform({ databaseUrl: platform.databaseUrl, clock });
await disableRateLimits(platform);
const partner = await seedPartner(platform);
afterAll(async () => {
  await second?.close();
});
beforeEach(async () => {
  account = await partner.account();
  ({ storeId } = account);
  plugins = pluginsOf(account.api);
  const { body } = await plugins.deploy({ autoInstantiate: true });
  deploymentId = body.deploymentId;
  id = body.instance.id;
});

const mount = (more: object = {}) =>
  plugins.call('/instance/mount', { deploymentInstanceId: id, storeId, alias: 'shop', ...more });
const unmount = (more: object = {}) =>
  plugins.call('/instance/unmount', { deploymentInstanceId: id, storeId, alias: 'shop', ...more });

interface Got {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
}

/** Requests the path exactly as written; fetch would normalize it. */
function get(
  path: string,
  {
    method = 'GET',
    headers = {},
    of = platform,
  }: { method?: string; headers?: Record<string, string>; of?: TestPlatform } = {},
): Promise<Got> {
  const { hostname, port } = new URL(of.url);
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, path, method, headers }, (response) => {
      const chunks: Buffer[] = [];
      response
        .on('data', (chunk: Buffer) => chunks.push(chunk))
        .on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            text: Buffer.concat(chunks).toString('utf8'),
          }),
        );
    });
    sent.on('error', reject).end();
  });
}
const at = (path: string) => `/p/${storeId}/shop${path}`;
const dataOf = ({ text }: Got) =>
  JSON.parse(/<script type="application\/json" id="plugin-data">(.*?)<\/script>/.exec(text)?.[1] ?? 'null');

describe('POST /plugins/v2/instance/mount and /unmount', () => {
  test('200 with its address; repeated without a change; unmounted it is 404', async () => {
    const mounted = {
      ok: true,
      deploymentInstanceId: id,
      storeId,
      alias: 'shop',
      basePath: '/',
      url: `${platform.url}/p/${storeId}/shop/`,
    };
    expect((await mount()).body).toEqual(mounted);
    expect((await mount({ basePath: '/' })).body).toEqual(mounted);
    expect((await get(at('/'))).status).toBe(200);
    expect((await unmount()).body).toEqual(mounted);
    expect((await get(at('/'))).status).toBe(404);
    expect((await unmount()).status).toBe(404);
  });

  test('409 base_path_conflict for a used base path, 200 with force; another base path is free', async () => {
    const other = await plugins.ok('/instance/create', { deploymentId, presetName: 'dark' });
    await mount();
    const taken = await mount({ deploymentInstanceId: other.id });
    expect(taken).toMatchObject({
      status: 409,
      body: { code: 'CONFLICT', issues: [{ reason: 'base_path_conflict' }] },
    });
    expect((await mount({ deploymentInstanceId: other.id, basePath: '/night/' })).body).toMatchObject({
      basePath: '/night',
      url: `${platform.url}/p/${storeId}/shop/night/`,
    });
    expect([dataOf(await get(at('/checkout'))).config, dataOf(await get(at('/night/checkout'))).config]).toEqual([
      presets.default,
      presets.dark,
    ]);
    expect((await mount({ deploymentInstanceId: other.id, force: true })).status).toBe(200);
    expect(dataOf(await get(at('/checkout'))).config).toEqual(presets.dark);
    expect((await unmount()).status).toBe(404);
  });

  test('one 200 and the rest 409 for many instances at one address at once', async () => {
    const ids = await Promise.all(
      Array.from({ length: 5 }, async () => (await plugins.ok('/instance/create', { deploymentId })).id),
    );
    const answers = await Promise.all(ids.map((deploymentInstanceId) => mount({ deploymentInstanceId })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409]);
  });

  test('20 addresses an instance: the 21st is 409 limit_reached', async () => {
    for (let n = 0; n < 20; n++) expect((await mount({ alias: `shop-${n}` })).status).toBe(200);
    expect((await mount({ alias: 'shop-20' })).body.issues[0].reason).toBe('limit_reached');
  });

  test.each([
    ['alias', { alias: 'Shop' }],
    ['alias', { alias: '-shop' }],
    ['alias', { alias: 'x'.repeat(64) }],
    ['alias', { alias: 'dep_1' }],
    ['basePath', { basePath: 'night' }],
    ['basePath', { basePath: '/a/../b' }],
    ['basePath', { basePath: '//a' }],
    ['basePath', { basePath: `/${'x'.repeat(200)}` }],
  ])('400 for an invalid %s: %j', async (path, more) => {
    const { status, body } = await mount(more);
    expect([status, body.issues.map((issue: { path: string }) => issue.path)]).toEqual([400, [path]]);
  });

  test('404 in another store, 403 outside the visibility of the key', async () => {
    const store = await account.api.ok('/stores/create', { name: 'Second' });
    expect((await mount({ storeId: store.id })).status).toBe(404);
    expect((await mount({ storeId: (await partner.account()).storeId })).status).toBe(403);
  });
});

describe('GET /p/:storeId/:alias/*', () => {
  beforeEach(() => mount());

  test('200: the page with configuration, page and store as data, hashed files and a strict policy', async () => {
    const page = await get(at('/checkout'));
    expect(page.status).toBe(200);
    const data = { config: presets.default, page: { path: '/checkout', name: 'Checkout' }, storeId };
    expect(dataOf(page)).toEqual({ ...data, locale: 'en' });
    const german = await get(at('/checkout'), { headers: { 'Accept-Language': 'de-AT, en;q=0.5' } });
    expect([dataOf(german), german.headers['vary']]).toEqual([
      { ...data, locale: 'de' },
      expect.stringContaining('Accept-Language'),
    ]);
    expect(german.headers['etag']).not.toBe(page.headers['etag']);
    const requested = await get(at('/checkout?lang=de'));
    expect([dataOf(requested).locale, requested.headers['set-cookie']]).toEqual([
      'de',
      [expect.stringMatching(/^lang=de;/)],
    ]);
    expect(page.text).toMatch(/^<!doctype html><html><head><script type="application\/json" id="plugin-data">/);
    const hashed = /src="(.*?)" defer/.exec(page.text)?.[1] ?? '';
    expect(hashed).toMatch(new RegExp(`^/p/${storeId}/shop/app\\.js\\?v=[0-9a-f]{16}$`));
    expect(page.headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-cache',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'access-control-allow-origin': '*',
      'cross-origin-resource-policy': 'cross-origin',
    });
    expect(page.headers['content-security-policy']).toMatchInlineSnapshot(
      `"default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data:; font-src ` +
        `'self'; ` +
        `media-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; ` +
        'sandbox allow-scripts allow-forms allow-modals allow-popups"',
    );
    const script = await get(hashed);
    expect([script.text, script.headers['content-type'], script.headers['cache-control']]).toEqual([
      'document.title = "x"',
      'text/javascript; charset=utf-8',
      'public, max-age=31536000, immutable',
    ]);
  });

  test('a new configuration is live for the next request, in another process as well', async () => {
    for (const color of ['#000001', '#000002', '#000003']) {
      await plugins.ok('/instance/config', { deploymentInstanceId: id, storeId, config: { color } });
      for (const server of [platform, second])
        expect(dataOf(await get(at('/checkout'), { of: server })).config).toEqual({ color });
    }
  });

  test('no configuration can break out of its script block', async () => {
    await plugins.ok('/deployment/sync-config', { deploymentId, schema: null, presets: {} });
    const config = {
      a: '</script><script>alert(1)</script>',
      b: '<!--<script>',
      c: '\u2028\u2029&lt;',
      '</script>': ']]>',
    };
    await plugins.ok('/instance/config', { deploymentInstanceId: id, storeId, config });
    const page = await get(at('/checkout'));
    expect(dataOf(page).config).toEqual(config);
    expect(page.text.match(/<\/script>/g)).toHaveLength(2);
    expect(page.text).not.toContain('<!--');
  });

  test('304 for unchanged pages and files; 200 once the configuration has changed', async () => {
    for (const path of ['/checkout', '/app.css']) {
      const { headers } = await get(at(path));
      const etag = String(headers['etag']);
      for (const tag of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
        const again = await get(at(path), { headers: { 'If-None-Match': tag } });
        expect([again.status, again.text, again.headers['etag']], `${path} ${tag}`).toEqual([304, '', etag]);
      }
      expect((await get(at(path), { headers: { 'If-None-Match': '"other"' } })).status).toBe(200);
      await plugins.ok('/instance/config', { deploymentInstanceId: id, storeId, config: { color: '#ffffff' } });
      expect((await get(at(path), { headers: { 'If-None-Match': etag } })).status).toBe(
        path === '/checkout' ? 200 : 304,
      );
    }
  });

  test('a file with a foreign hash is not cached permanently; a redeployed page names the new hash', async () => {
    const hashIn = async () => /app\.css\?v=([0-9a-f]{16})/.exec((await get(at('/checkout'))).text)?.[1];
    const before = await hashIn();
    await plugins.deploy({
      overwrite: true,
      inlineAssets: [asset('index.html', '<link rel=stylesheet href="app.css">'), asset('app.css', 'a{}')],
    });
    expect(await hashIn()).not.toBe(before);
    const old = await get(at(`/app.css?v=${before}`));
    expect([old.text, old.headers['cache-control']]).toEqual(['a{}', 'no-cache']);
    expect((await get(at('/app.css?v=0'))).headers['cache-control']).toBe('no-cache');
    expect((await get(at('/app.js'))).status).toBe(404);
  });

  test('a page is built once for a version, and again after it is overwritten, in every process', async () => {
    const session = `?session=${'a'.repeat(20)}`;
    const before = await get(at('/checkout'));
    const ofVisit = await get(at(`/checkout${session}`));
    // The files of a version do not change: a page that read them again would lose its hashed addresses.
    await platform.services.pool.query(`UPDATE plugin_assets SET path = 'x' || path WHERE path <> 'index.html'`);
    expect((await get(at('/checkout'))).text).toBe(before.text);
    expect((await get(at(`/checkout${session}`))).text).toBe(ofVisit.text);
    const other = await get(at(`/checkout?session=${'b'.repeat(20)}`));
    expect(other.text).toBe(ofVisit.text.replace('a'.repeat(20), 'b'.repeat(20)));
    expect(before.text).not.toContain('"session"');
    for (const html of ['<p>one', '<p>two']) {
      await plugins.deploy({ overwrite: true, inlineAssets: [asset('index.html', html)] });
      for (const server of [platform, second])
        expect((await get(at('/checkout'), { of: server })).text).toContain(html);
    }
  });

  test('the default page is at the root, pages use the closest HTML, and an unknown page is 404', async () => {
    await plugins.deploy({
      overwrite: true,
      inlineAssets: [
        asset('index.html', '<p>index'),
        asset('thanks.html', '<p>thanks'),
        asset('deep/own.html', '<img src="../logo.svg"><img src=\'x.png\'><img src="https://example.com/logo.svg">'),
        asset('logo.svg', '<svg/>'),
      ],
    });
    expect([dataOf(await get(at('/'))).page, dataOf(await get(at('/checkout/'))).page]).toEqual([
      { path: '/checkout', name: 'Checkout' },
      { path: '/checkout', name: 'Checkout' },
    ]);
    expect((await get(at('/thanks'))).text).toContain('<p>thanks');
    const own = await get(at('/deep/own.html'));
    expect(dataOf(own).page).toEqual({ path: '/deep/own.html', name: null });
    expect(own.text).toMatch(
      new RegExp(
        `<img src="/p/${storeId}/shop/logo\\.svg\\?v=[0-9a-f]{16}"><img src='x\\.png'><img ` +
          `src="https://example\\.com/logo\\.svg">`,
      ),
    );
    for (const path of ['/other', '/checkout/card', '/thanks.htm', '/logo.svg/'])
      expect((await get(at(path))).status, path).toBe(404);
    const bare = await get(`/p/${storeId}/shop?session=aaaaaaaaaaaaaaaaaaaa`);
    expect([bare.status, bare.headers['location']]).toEqual([308, `${at('/')}?session=aaaaaaaaaaaaaaaaaaaa`]);
  });

  test('a valid session of the address is in the data, and an invalid one is not', async () => {
    const page = await get(at('/checkout?session=cs_0123456789abcdef'));
    expect([dataOf(page).session, page.headers['cache-control']]).toEqual([
      { token: 'cs_0123456789abcdef' },
      'private, no-cache',
    ]);
    for (const wrong of ['short', '%3C/script%3E0123456789', 'x'.repeat(513)])
      expect(dataOf(await get(at(`/checkout?session=${wrong}`)))).not.toHaveProperty('session');
  });

  test.each([
    '/../../secrets.json',
    '/..%2f..%2fapp.js',
    '/%2e%2e/app.js',
    '/%2e/app.js',
    '/%252e%252e/app.js',
    '/..\\app.js',
    '/%5c..%5capp.js',
    '//app.js',
    '/app.js%00',
    '/a%2fb',
    '/%',
    '/%ff',
    '/./app.js',
    '/app.js/../app.js',
    '/__proto__',
    '/constructor',
  ])('404 for %s', async (path) => {
    expect((await get(at(path))).status).toBe(404);
  });

  test('404 for a deleted file, though its bytes are cached', async () => {
    for (const server of [platform, second]) expect((await get(at('/app.css'), { of: server })).text).toBe('p{}');
    await plugins.deploy({ overwrite: true, inlineAssets: [asset('index.html', 'x')] });
    for (const server of [platform, second]) expect((await get(at('/app.css'), { of: server })).status).toBe(404);
    await unmount();
    for (const server of [platform, second]) expect((await get(at('/checkout'), { of: server })).status).toBe(404);
  });

  test('429 for the 1,201st request of an address in a minute, with Retry-After; 200 in the next', async () => {
    clock.advance(60_000);
    const many = (count: number) =>
      Promise.all(Array.from({ length: count }, async () => (await fetch(`${second.url}/p/nowhere`)).status));
    for (let batch = 0; batch < 24; batch++) expect(new Set(await many(50))).toEqual(new Set([404]));
    const refused = await get(at('/checkout'), { of: second, headers: { Accept: 'text/html' } });
    expect([refused.status, refused.headers['retry-after'], refused.headers['content-type']]).toEqual([
      429,
      '30',
      'text/html; charset=utf-8',
    ]);
    clock.advance(30_000);
    expect((await get(at('/checkout'), { of: second })).status).toBe(200);
  });

  test('HEAD returns the headers of GET; other methods are 405', async () => {
    const [got, head] = [await get(at('/app.js')), await get(at('/app.js'), { method: 'HEAD' })];
    expect([head.status, head.text, head.headers['etag'], head.headers['content-length']]).toEqual([
      200,
      '',
      got.headers['etag'],
      got.headers['content-length'],
    ]);
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS'])
      expect(await get(at('/app.js'), { method })).toMatchObject({ status: 405, headers: { allow: 'GET, HEAD' } });
  });

  test('a displayed file runs no script and has the type it was deployed with', async () => {
    await plugins.deploy({
      overwrite: true,
      inlineAssets: [
        asset('logo.svg', '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'),
        asset('pixel.png', Buffer.from([137, 80, 78, 71])),
      ],
    });
    const svg = await get(at('/logo.svg'));
    expect([svg.headers['content-type'], svg.headers['content-security-policy']]).toEqual([
      'image/svg+xml; charset=utf-8',
      "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors " +
        "'none'; sandbox",
    ]);
    expect((await get(at('/pixel.png'))).headers['content-type']).toBe('image/png');
  });

  test('404 for a file that a page of the platform loads as code; 200 for pages of plugins, and to look at it', async () => {
    const as = (site: string, use: string) =>
      get(at('/app.js'), { headers: { 'Sec-Fetch-Site': site, 'Sec-Fetch-Dest': use } });
    for (const use of ['script', 'style', 'worker', 'sharedworker', 'serviceworker', 'audioworklet', 'object', 'embed'])
      expect((await as('same-origin', use)).status, use).toBe(404);
    expect((await as('cross-site', 'script')).status).toBe(200);
    const shown = await as('same-origin', 'document');
    expect([shown.status, shown.headers['vary']]).toEqual([200, expect.stringContaining('Sec-Fetch-Site')]);
  });

  test('200 for WebAssembly without a charset, for XML in a sandbox, and for a PDF that a browser may show', async () => {
    const bytes = Buffer.from([0, 97, 115, 109]);
    await plugins.deploy({
      overwrite: true,
      inlineAssets: [asset('app.wasm', bytes), asset('feed.xml', '<a/>'), asset('terms.pdf', Buffer.from('%PDF-1.7'))],
    });
    const files = await Promise.all(['/app.wasm', '/feed.xml', '/terms.pdf'].map((path) => get(at(path))));
    expect(files.map(({ status, headers }) => [status, headers['content-type']])).toEqual([
      [200, 'application/wasm'],
      [200, 'application/xml; charset=utf-8'],
      [200, 'application/pdf'],
    ]);
    const sandboxed = files.map(({ headers }) => String(headers['content-security-policy']).includes('sandbox'));
    expect(sandboxed).toEqual([true, true, false]);
  });

  test('404 once the partner is suspended, the account closed, or the instance deleted; then 200 again', async () => {
    const { prisma } = platform.services;
    for (const [wrong, right] of [
      ['suspended', 'active'],
      ['offboarded', 'active'],
    ] as const) {
      await prisma.partner.update({ where: { id: partner.id }, data: { status: wrong } });
      expect((await get(at('/checkout'))).status).toBe(404);
      await prisma.partner.update({ where: { id: partner.id }, data: { status: right } });
      expect((await get(at('/checkout'))).status).toBe(200);
    }
    await prisma.processingAccount.update({ where: { id: account.id }, data: { status: 'suspended' } });
    expect((await get(at('/app.js'))).status).toBe(404);
    await prisma.processingAccount.update({ where: { id: account.id }, data: { status: 'active' } });
    await plugins.remove(`/instance/${id}`);
    expect((await get(at('/checkout'))).status).toBe(404);
  });

  test('an unmounted deployment can be previewed with its default preset in its own store only', async () => {
    const { url } = await plugins.ok(`/deployment/${deploymentId}`);
    const preview = await get(new URL(url).pathname);
    expect(dataOf(preview)).toMatchObject({ config: presets.default, page: { path: '/checkout' } });
    expect((await get(`/p/${(await partner.account()).storeId}/${deploymentId}/`)).status).toBe(404);
    expect((await get('/p/store_1/shop/')).status).toBe(404);
    expect((await get('/p/')).status).toBe(404);
    expect((await get('/p')).status).toBe(404);
  });
});
