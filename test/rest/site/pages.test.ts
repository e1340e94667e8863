import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isScalarType } from 'graphql';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { welcomeMessage } from '../../../src/local/banner.ts';
import { schema } from '../../../src/schema.ts';
import { type Demo, writeDemo } from '../../../src/settings/demo-credentials.ts';
import { asOwner } from '../../support/database.ts';
import { iamEndpoints } from '../../support/operations.ts';
import { startTestPlatform, type TestPlatform } from '../../support/platform.ts';
import { seedPartner } from '../../support/seed.ts';

const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
const operator = "o'neil@example.com";
const password = 'correct horse battery';
const platformDir = mkdtempSync(join(tmpdir(), 'platform-pages-'));
let platform: TestPlatform;
let withoutGraphiql: TestPlatform;
let demo: Demo;
let Cookie: string;

const open = (path: string, headers: Record<string, string> = {}, server = platform) =>
  fetch(server.url + path, { headers: { Accept: browser, ...headers }, redirect: 'manual' });

beforeAll(async () => {
  [platform, withoutGraphiql] = await Promise.all([
    startTestPlatform({ env: { PLATFORM_DIR: platformDir } }),
    startTestPlatform({ env: { GRAPHIQL: 'false' }, identityProvider: 'embedded' }),
  ]);
  const partner = await seedPartner(platform);
  const { id, storeId, subKey } = await partner.account('Demo Merchant');
  const account = { id, storeId, subKey, paymentInstrumentId: 'pi_x' };
  demo = {
    baseUrl: platform.url,
    partner: { id: partner.id, slug: partner.slug },
    partners: [],
    partnerKeys: { test: partner.partnerKey, live: null },
    accounts: { test: account, live: null },
    organizations: [],
    users: [],
  };
  writeDemo({ platformDir }, demo);
  for (const { idp } of [platform, withoutGraphiql]) {
    await idp.createUser({ email: operator, password, platformRoles: ['hubadmin'] });
    await idp.flush();
  }
  Cookie = await cookieAt(platform);
});
afterAll(async () => {
  await Promise.all([platform?.close(), withoutGraphiql?.close()]);
  rmSync(platformDir, { recursive: true, force: true });
});

async function cookieAt({ url }: TestPlatform): Promise<string> {
  const { headers } = await fetch(`${url}/idp/sign-in/email`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ email: operator, password }),
  });
  return headers
    .getSetCookie()
    .map((cookie) => cookie.split(';')[0])
    .join('; ');
}

describe('the home page', () => {
  test('200 for /: a page that is not stored for a browser, JSON with the addresses for others', async () => {
    const page = await open('/');
    expect([page.status, page.headers.get('Content-Type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect([page.headers.get('Cache-Control'), page.headers.get('Vary')]).toEqual([
      'no-store',
      'Accept, Accept-Language, Cookie',
    ]);
    expect(page.headers.get('Content-Security-Policy')).not.toContain('unsafe-inline');
    for (const Accept of ['*/*', 'application/json', 'text/html;q=0.5, application/json', 'text/html;q=0'])
      expect(await (await open('/', { Accept })).json()).toMatchObject({
        documentation: `${platform.url}/api/public/v1/docs`,
        graphql: `${platform.url}/graphql`,
      });
  });

  test('it says who is signed in, in which role, and offers to sign out', async () => {
    expect(await (await open('/')).text()).toContain('You are not signed in.');
    const page = await (await open('/', { Cookie })).text();
    for (const part of ['o&#39;neil@example.com', 'hubadmin', 'data-post="idp/sign-out"']) expect(page).toContain(part);
    expect(page).not.toContain(operator);
    expect(await (await open('/', { Cookie: Cookie.replaceAll('=', '=x') })).text()).toContain('not signed in');
  });

  test("it shows the demo's keys, unless the file is of an earlier database", async () => {
    expect(await (await open('/')).text()).toContain(demo.accounts.test.subKey);
    const stale = `${demo.accounts.test.subKey.slice(0, -4)}aaaa`;
    writeDemo({ platformDir }, { ...demo, accounts: { test: { ...demo.accounts.test, subKey: stale }, live: null } });
    const page = await (await open('/')).text();
    writeDemo({ platformDir }, demo);
    expect(page).not.toContain('Demo credentials');
    expect(page).not.toContain(demo.partnerKeys.test);
  });

  test('every address on it can be opened, with and without GraphiQL', async () => {
    for (const server of [platform, withoutGraphiql]) {
      const page = await (await open('/', {}, server)).text();
      const links = [...page.matchAll(/href="([^"]+)"/g)].map(([, href = '']) => href);
      expect(links.length).toBeGreaterThan(4);
      for (const href of links) expect([href, (await open(`/${href}`, {}, server)).status]).toEqual([href, 200]);
    }
    expect(await (await open('/', {}, withoutGraphiql)).text()).not.toContain('href="graphql"');
  });

  test.each([
    ['/api', 'api/public/v1/docs'],
    ['/health', 'health/ready'],
    ['/idp', 'idp/sign-in'],
    ['/graphiql', 'graphql'],
  ])('302 from %s, which people guess, to %s', async (guessed, path) => {
    const { status, headers } = await open(guessed);
    expect([status, headers.get('Location')]).toEqual([302, path]);
  });

  test('200 for /favicon.ico', async () => {
    const icon = await open('/favicon.ico');
    expect([icon.status, icon.headers.get('Content-Type')]).toEqual([200, 'image/svg+xml; charset=utf-8']);
  });
});

test('the message at start names what is on, and each of its addresses can be opened', async () => {
  for (const server of [platform, withoutGraphiql]) {
    const message = welcomeMessage(server.services.config);
    const urls = [...message.matchAll(/https?:\S+/g)].map(([url]) => url);
    expect(urls.length).toBeGreaterThan(3);
    for (const url of urls)
      expect([url, (await open(url.slice(server.url.length), {}, server)).status]).toEqual([url, 200]);
    expect(message.includes('GraphiQL  ')).toBe(server.services.config.graphiql);
  }
});

describe('signing in', () => {
  test('leads to the console; GraphiQL leads to / where it is off', async () => {
    expect(await (await open('/idp/sign-in')).text()).toContain('data-then="../console/"');
    const joined = await open('/join', { Cookie: await cookieAt(platform) });
    expect([joined.status, joined.headers.get('Location')]).toEqual([303, 'console/']);
    const graph = await open('/graphql', {}, withoutGraphiql);
    expect([graph.status, graph.headers.get('Location')]).toEqual([303, './']);
  });

  test('the sign-in page says that you are signed in, leads on, and offers to sign out', async () => {
    const page = await (await open('/idp/sign-in?redirect=/join', { Cookie })).text();
    for (const part of ['o&#39;neil@example.com', '<a href="/join">Continue</a>', 'data-post="sign-out"'])
      expect(page).toContain(part);
    expect(page).not.toContain('name="password"');
  });
});

test('200 for the page of the scalars, with a place for each that the graph names', async () => {
  const page = await (await open('/graphql/scalars')).text();
  const pages = Object.values(schema.getTypeMap()).flatMap((type) =>
    isScalarType(type) && type.specifiedByURL ? [type.specifiedByURL] : [],
  );
  expect(pages.length).toBeGreaterThan(30);
  for (const url of pages) {
    const { pathname, hash } = new URL(url, `${platform.url}/graphql`);
    expect([pathname, page.includes(`id="${hash.slice(1)}"`)]).toEqual(['/graphql/scalars', true]);
  }
});

describe('the reference of the API for people', () => {
  const root = '/api/v1/iam';
  const addresses = ['/docs', '/docs/start.js', '/openapi.json'].map((path) => root + path);

  test('401 without a session and with an API key, a page for a browser; it is no part of the public one', async () => {
    for (const path of addresses)
      for (const headers of [{}, { Authorization: `Bearer ${demo.partnerKeys.test}`, Cookie }] as Record<
        string,
        string
      >[]) {
        const json = await open(path, { ...headers, Accept: '*/*' });
        expect([json.status, Object.keys(await json.json())]).toEqual([401, ['code', 'message']]);
        const page = await open(path, headers);
        expect([page.status, page.headers.get('Content-Type')]).toEqual([401, 'text/html; charset=utf-8']);
        expect(await page.text()).not.toContain('partners-admin');
      }
    expect(await (await open('/api/public/v1/openapi.json')).text()).not.toContain('partners-admin');
  });

  test('200 with a session: every endpoint, and no copy in a shared cache; the home page links to it', async () => {
    for (const path of addresses) {
      const answer = await open(path, { Cookie });
      expect([path, answer.status, answer.headers.get('Cache-Control')]).toEqual([
        path,
        200,
        path.endsWith('.json') ? 'private, no-cache' : 'no-store',
      ]);
    }
    const { servers, paths } = await (await open(`${root}/openapi.json`, { Cookie })).json();
    expect(servers).toEqual([{ url: `${platform.url}${root}` }]);
    expect(Object.keys(paths).sort()).toEqual(iamEndpoints.map(({ path }) => path.replace(/:(\w+)/g, '{$1}')).sort());
    const link = `href="${root.slice(1)}/docs"`;
    expect(await (await open('/', { Cookie })).text()).toContain(link);
    expect(await (await open('/')).text()).not.toContain(link);
  });
});

describe('errors', () => {
  test.each([
    ['404', '/nothing/here'],
    ['404', '/checkout/funnels/fun_gone'],
    ['404', '/checkout/sessions/none/challenge'],
    ['404', '/%E0%A4%A'],
    ['404', '/idp/nothing'],
  ])('%s for %s: a page for a browser, JSON for others', async (status, path) => {
    const page = await open(path);
    expect([String(page.status), page.headers.get('Content-Type')]).toEqual([status, 'text/html; charset=utf-8']);
    expect(await page.text()).toContain(page.headers.get('Request-Id') ?? 'no id');
    const json = await open(path, { Accept: '*/*' });
    expect([String(json.status), (await json.json()).code]).toEqual([status, 'NOT_FOUND']);
  });

  test('401 below the APIs is JSON for browsers too', async () => {
    for (const path of ['/api/public/v1/nothing', '/api/public/v1/payments/list', '/api/v1/iam/users/list'])
      expect((await (await open(path)).json()).code).toBe('NOT_AUTHORIZED');
  });

  test('the page of an error leads home, relative to where it stands, but not from the pages of shoppers', async () => {
    expect(await (await open('/nothing/here')).text()).toContain('href="../"');
    expect(await (await open('/checkout/funnels/fun_gone')).text()).not.toContain('home page');
  });

  test('429 with the seconds to wait: a page for a browser', async () => {
    const enter = () => open('/checkout/funnels/fun_gone', {}, withoutGraphiql);
    let page = await enter();
    // 60 calls a minute are admitted, and a minute may end meanwhile.
    for (let calls = 0; page.status === 404 && calls < 130; calls++) page = await enter();
    expect([page.status, page.headers.get('Content-Type')]).toEqual([429, 'text/html; charset=utf-8']);
    expect(Number(page.headers.get('Retry-After'))).toBeGreaterThan(0);
    expect(await page.text()).toContain('Too many requests');
  });

  test('500 with the request id and nothing of the cause: a page for a browser', async () => {
    await asOwner(platform, 'ALTER TABLE funnels RENAME TO funnels_away');
    const page = await open('/checkout/funnels/funnel_0VaJn9R0cDuZLfpOcwM5Fs', { 'Request-Id': 'req_of_the_visitor' });
    await asOwner(platform, 'ALTER TABLE funnels_away RENAME TO funnels');
    const text = await page.text();
    expect([page.status, text.includes('req_of_the_visitor'), text.includes('funnels_away')]).toEqual([
      500,
      true,
      false,
    ]);
  });
});
