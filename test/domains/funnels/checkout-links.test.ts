// cspell:ignore Karte wurde abgelehnt Versuchen einer anderen
import { describe, expect, test } from 'vitest';
import { checkoutToken } from '../../../src/domains/funnels/sessions/rows.ts';
import english from '../../../src/theme/texts/en.json' with { type: 'json' };
import { seedPartner } from '../../support/seed.ts';
import { answerBank, checkoutWorld } from './checkout-world.ts';
import { addFunnel, exampleGraph } from './example-funnel.ts';

const world = checkoutWorld();
const { clock, ask, visitor, payment, atCheckout } = world;

describe("a funnel's own link", () => {
  const enter = (id: string, headers: Record<string, string> = {}) =>
    fetch(`${world.platform.url}/checkout/funnels/${id}`, { redirect: 'manual', headers });

  test('303 to the first page of a new session on each visit', async () => {
    const { deploymentId, instance } = await world.account.api.ok('/plugins/v2/deploy', {
      manifest: { pluginId: 'pages', name: 'Pages', version: '1.0.0', pages: [{ path: '/landing' }, { path: '/pay' }] },
      inlineAssets: [
        { path: 'index.html', content: Buffer.from('<!doctype html><title>x</title>').toString('base64') },
      ],
      autoInstantiate: true,
    });
    expect(deploymentId).toMatch(/^dep_/);
    const nodes = exampleGraph.nodes.map((node) => ({
      ...node,
      config: {
        ...('config' in node ? node.config : {}),
        instanceId: instance.id,
        path: node.id === 'landing' ? '/landing' : '/pay',
      },
    }));
    const own = await addFunnel(world.account, { nodes });
    // An instance that is not mounted has no page.
    expect((await enter(own.id)).status).toBe(404);
    await world.account.api.ok('/plugins/v2/instance/mount', {
      deploymentInstanceId: instance.id,
      storeId: world.account.storeId,
      alias: 'shop',
    });
    const urls = await Promise.all([1, 2].map(async () => (await enter(own.id)).headers.get('location') ?? ''));
    expect(new Set(urls).size).toBe(2);
    const [url = ''] = urls;
    expect(url).toMatch(
      new RegExp(`^${world.platform.url}/p/${world.account.storeId}/shop/landing\\?session=[A-Za-z0-9_-]{43}$`),
    );
    const token = new URL(url).searchParams.get('session') ?? '';
    const pageOf = (of: string) =>
      fetch(`${world.platform.url}/checkout/sessions/${of}/page`, {
        redirect: 'manual',
        headers: { Accept: 'text/html' },
      });
    expect((await pageOf(token)).headers.get('location')).toBe(url);
    const moved = await ask(token, '/next', { stepId: 'landing' });
    const now = await pageOf(token);
    expect([now.status, now.headers.get('location')]).toEqual([303, moved.body.url]);
    expect(moved.body.url).toBe(`${world.platform.url}/p/${world.account.storeId}/shop/pay?session=${token}`);
    // The API returns the same link. An instance of a step must belong to the funnel's store.
    expect((await world.account.api.ok(`/funnel-sessions/${moved.body.sessionId}`)).url).toBe(moved.body.url);
    expect(await (await fetch(moved.body.url)).text()).toContain(`"session":{"token":"${token}"}`);
    const stranger = await world.account.api.call('/funnels', {
      name: 'x',
      nodes: [{ id: 'a', type: 'landing', isEntry: true, config: { instanceId: 'pin_unknown' } }],
      edges: [],
    });
    expect(stranger.body.data.issues).toEqual([
      { path: 'nodes[0].config.instanceId', message: 'must be a plugin instance of the store' },
    ]);
    const unrouted = await world.account.api.call('/funnels', {
      name: 'x',
      nodes: [{ id: 'a', type: 'landing', isEntry: true, config: { paymentFlowId: 'flow_unknown' } }],
      edges: [],
    });
    expect(unrouted.body.data.issues).toEqual([
      { path: 'nodes[0].config.paymentFlowId', message: 'must be a payment flow of the account' },
    ]);
  });

  test('404 without a funnel or pages, 403 while the partner is suspended, 429 past 60 a minute', async () => {
    clock.advance(61_000);
    const before = await world.platform.services.prisma.funnelSession.count();
    const plain = await addFunnel(world.account);
    for (const id of ['x', 'funnel_unknown', plain.id, '%00']) expect((await enter(id)).status, id).toBe(404);
    const other = await seedPartner(world.platform);
    const { id } = await addFunnel(await other.account());
    await world.platform.services.prisma.partner.update({ where: { id: other.id }, data: { status: 'suspended' } });
    expect((await enter(id)).status).toBe(403);
    const closed = await enter(id, { Accept: 'text/html' });
    expect(closed.status).toBe(403);
    expect(await closed.text()).toContain('This shop is not accepting orders at the moment.');
    const many = await Promise.all(Array.from({ length: 55 }, () => enter(plain.id)));
    expect(many.map(({ status }) => status).sort()).toEqual([...Array(54).fill(404), 429]);
    expect(await world.platform.services.prisma.funnelSession.count()).toBe(before);
  });
});

describe('the link of a session', () => {
  test('404 for another, 410 a day after the last event, 403 from another site or a suspended partner', async () => {
    const shopper = await visitor();
    for (const token of [
      'x',
      shopper.id,
      'A'.repeat(43),
      `${shopper.token.slice(0, -1)}${shopper.token.endsWith('A') ? 'B' : 'A'}`,
    ])
      expect((await ask(token)).status, token).toBe(404);
    expect((await ask(shopper.token, '', undefined, { Origin: 'https://evil.example' })).body.data.reason).toBe(
      'origin_not_allowed',
    );
    expect((await ask(shopper.token, '', undefined, { Origin: world.platform.url })).status).toBe(200);
    expect((await ask(shopper.token, '')).headers.get('access-control-allow-origin')).toBeNull();
    const other = await seedPartner(world.platform);
    const theirs = await other.account();
    const { id } = await theirs.api.ok('/funnel-sessions', { funnelId: (await addFunnel(theirs)).id });
    await world.platform.services.prisma.partner.update({ where: { id: other.id }, data: { status: 'suspended' } });
    expect((await ask(checkoutToken(world.platform.services.config, id))).body.data.reason).toBe('partner_not_active');
    clock.advance(24 * 3_600_000);
    expect((await shopper.ask()).status).toBe(410);
  });

  test('is in a cookie during the challenge, and in no address sent to the issuer', async () => {
    const shopper = await atCheckout();
    const { payment: challenged } = (await shopper.ask('/pay', payment('4000000000003220'))).body;
    const { cookie, back } = await answerBank(challenged.url, 'success');
    expect(cookie).toMatch(
      new RegExp(
        `^checkout_${shopper.id}=${shopper.token}; Max-Age=3600; Path=/checkout/return; Expires=[^;]+; ` +
          'HttpOnly; SameSite=Lax$',
      ),
    );
    expect(back).toMatch(new RegExp(`^${world.platform.url}/checkout/return/${shopper.id}\\?paymentId=pay_`));
    // This funnel has no pages to return to.
    expect((await fetch(back, { redirect: 'manual', headers: { cookie: cookie.split(';')[0] ?? '' } })).status).toBe(
      404,
    );
    expect(await (await fetch(back, { redirect: 'manual' })).json()).toMatchObject({
      message: 'Checkout session not found.',
    });
    const lost = await fetch(back, { redirect: 'manual', headers: { Accept: 'text/html' } });
    expect([lost.status, await lost.text()]).toEqual([
      404,
      expect.stringContaining(english['checkout.elsewhere.text']),
    ]);
  });

  test('can be used by a page without an origin, such as a plugin page', async () => {
    const shopper = await visitor();
    const preflight = await fetch(`${world.platform.url}/checkout/sessions/${shopper.token}/next`, {
      method: 'OPTIONS',
      headers: {
        Origin: 'null',
        'Access-Control-Request-Method': 'POST',
        'Access-Control-Request-Headers': 'content-type',
      },
    });
    expect([
      preflight.status,
      preflight.headers.get('access-control-allow-origin'),
      preflight.headers.get('access-control-allow-headers'),
    ]).toEqual([204, 'null', 'Content-Type']);
    const read = await ask(shopper.token, '', undefined, { Origin: 'null' });
    expect([read.status, read.headers.get('access-control-allow-origin'), read.headers.get('vary')]).toEqual([
      200,
      'null',
      'Origin',
    ]);
    expect(
      (
        await fetch(`${world.platform.url}/checkout/sessions/${shopper.token}`, {
          method: 'OPTIONS',
          headers: { Origin: 'https://evil.example' },
        })
      ).headers.get('access-control-allow-origin'),
    ).toBeNull();
  });

  test('429 past 20 actions a minute of one session', async () => {
    const shopper = await visitor();
    for (let n = 0; n < 20; n++) expect((await shopper.ask('/continue', {})).status).toBe(200);
    const late = await shopper.ask('/continue', {});
    expect([late.status, Number(late.headers.get('Retry-After')) >= 1]).toEqual([429, true]);
    expect((await shopper.ask()).status).toBe(200);
  });

  test('is not in the database, the log or an event, nor is the card', async () => {
    const shopper = await atCheckout();
    await shopper.ask('/pay', payment('4000000000003220'));
    const { rows } = await world.platform.services.pool.query<{ table: string }>(
      `SELECT format('%I.%I', table_schema, table_name) AS table
        FROM information_schema.tables
        WHERE table_schema IN ('public', 'limits', 'vault') AND table_type = 'BASE TABLE'`,
    );
    const texts = await Promise.all(
      rows.map(
        async ({ table }) =>
          (
            await world.platform.services.pool.query<{ text: string }>(
              `SELECT coalesce(string_agg(t::text, ' '), '') AS text FROM ${table} t`,
            )
          ).rows[0]?.text ?? '',
      ),
    );
    for (const text of [...texts, world.platform.logged.join('\n')])
      expect(text.includes(shopper.token) || text.includes('4000000000003220')).toBe(false);
    expect(world.platform.logged.some((line) => line.includes('/checkout/sessions/:token'))).toBe(true);
  });
});

test('no log line reports a failure', () =>
  expect(world.platform.logged.filter((line) => line.includes('"level":"error"'))).toEqual([]));
