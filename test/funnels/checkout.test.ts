// cspell:ignore Karte wurde abgelehnt Versuchen einer anderen
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkoutToken } from '../../src/domains/funnels/checkout-token.ts';
import { followOrder } from '../../src/domains/funnels/follow-order.ts';
import { abandonSessions, followPayments } from '../../src/domains/funnels/follow-payments.ts';
import { resolveUnknownPayments } from '../../src/domains/payments/resolve-unknown-payments.ts';
import { manualClock } from '../../src/kit/clock.ts';
import type { Answer } from '../support/client.ts';
import { startTestPlatform, type TestPlatform } from '../support/platform.ts';
import { type SeededAccount, type SeededPartner, seedPartner } from '../support/seed.ts';
import { type Fate, withLostAnswers } from '../support/unreliable-processor.ts';
import { addFunnel, exampleGraph } from './example-funnel.ts';

const clock = manualClock(new Date('2026-06-01T12:00:00.000Z'));
let platform: TestPlatform;
let partner: SeededPartner;
let account: SeededAccount;
beforeAll(async () => {
  platform = await startTestPlatform({ clock });
  partner = await seedPartner(platform);
  account = await partner.account();
  await addFunnel(account, { isDefault: true });
});
afterAll(() => platform?.close());

async function ask(token: string, path = '', body?: unknown, headers: Record<string, string> = {}): Promise<Answer> {
  const response = await fetch(`${platform.url}/checkout/sessions/${token}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { ...(body !== undefined && { 'Content-Type': 'application/json' }), ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: response.status, headers: response.headers, body: await response.json() };
}

interface Visitor {
  id: string;
  token: string;
  ask(path?: string, body?: unknown): Promise<Answer>;
}

async function visitor(more: Record<string, unknown> = {}, client = account): Promise<Visitor> {
  // Rate limits reset after a minute, so that tests do not limit one another.
  clock.advance(61_000);
  const { id } = await client.api.ok('/funnel-sessions', more);
  const token = checkoutToken(platform.services.config, id);
  const asking: Visitor['ask'] = (path, body) => {
    clock.advance(1);
    return ask(token, path, body);
  };
  return { id, token, ask: asking };
}

let attempts = 0;
const cardOf = (cardNumber: string) => ({ cardNumber, expMonth: 12, expYear: 2039, cvc: '123' });
const payment = (cardNumber = '4242 4242 4242 4242', more = {}) => ({
  stepId: 'checkout',
  attemptId: `attempt-${++attempts}`,
  email: 'visitor@example.com',
  ...cardOf(cardNumber),
  ...more,
});
const atCheckout = async (more = {}) => {
  const shopper = await visitor(more);
  await shopper.ask('/next', { stepId: 'landing' });
  return shopper;
};
const ordersOf = async (id: string) =>
  (
    await platform.services.prisma.funnelOrder.findMany({
      where: { sessionId: id },
      include: { order: true },
      orderBy: { createdAt: 'asc' },
    })
  ).map(({ stepId, order }) => `${stepId} ${order.amount} ${order.status}`);
const paymentsOf = (id: string) =>
  platform.services.prisma.payment.count({ where: { order: { funnelOrders: { some: { sessionId: id } } } } });
const stepOf = async (id: string) => (await account.api.ok(`/funnel-sessions/${id}`)).currentStepId;

/**
 * Follows the redirect and submits an answer there as a form does. Returns the cookie set for the return, and the
 * return URL.
 */
async function answerBank(url: string, outcome: string): Promise<{ cookie: string; back: string }> {
  const sent = await fetch(url, { redirect: 'manual' });
  expect([sent.status, sent.headers.get('referrer-policy')]).toEqual([303, 'no-referrer']);
  const answered = await fetch(sent.headers.get('location') ?? '', {
    method: 'POST',
    redirect: 'manual',
    body: new URLSearchParams({ outcome }),
  });
  return { cookie: sent.headers.get('set-cookie') ?? '', back: answered.headers.get('location') ?? '' };
}

describe('a visitor with the link of a session', () => {
  test('walks from the landing page through a paid order and an accepted offer to the end', async () => {
    const shopper = await visitor();
    expect((await shopper.ask()).body).toEqual({
      sessionId: shopper.id,
      status: 'active',
      livemode: false,
      storeName: expect.any(String),
      expiresAt: expect.any(String),
      payment: null,
      card: null,
      priceAhead: { currency: 'USD', amount: 4900, items: [{ name: 'Course', quantity: 1, unitAmount: 4900 }] },
      email: null,
      orders: [],
      done: false,
      url: null,
      step: { id: 'landing', name: null, type: 'landing', variantId: null, config: {}, price: null, isOffer: false },
    });
    expect((await shopper.ask('/next', { stepId: 'landing' })).body.step).toMatchObject({
      id: 'checkout',
      price: { amount: 4900, currency: 'USD', items: [{ name: 'Course' }] },
    });
    // An attempt id is valid at its step only.
    const paid = await shopper.ask('/pay', payment(undefined, { attemptId: 'first' }));
    expect(paid.body).toMatchObject({
      step: { id: 'upsell', isOffer: true, price: { amount: 1900 } },
      card: { brand: 'visa', last4: '4242' },
      priceAhead: null,
      email: 'visitor@example.com',
      orders: [{ id: expect.stringMatching(/^ord/), amount: 4900, status: 'paid' }],
    });
    const accepted = await shopper.ask('/accept', { stepId: 'upsell', attemptId: 'first' });
    expect(accepted.body).toMatchObject({
      step: { id: 'thanks' },
      status: 'completed',
      done: true,
      orders: [
        { amount: 4900, status: 'paid' },
        { amount: 1900, status: 'paid' },
      ],
    });
    expect(await ordersOf(shopper.id)).toEqual(['checkout 4900 paid', 'upsell 1900 paid']);
    const { items } = await account.api.ok('/payments', { pageSize: 2 });
    expect(items.map(({ metadata }: { metadata: unknown }) => metadata)).toEqual([
      { funnelSessionId: shopper.id, funnelStepId: 'upsell' },
      { funnelSessionId: shopper.id, funnelStepId: 'checkout' },
    ]);
    const { sequence } = await platform.services.prisma.funnelSession.findUniqueOrThrow({ where: { id: shopper.id } });
    const reported = await platform.services.prisma.event.findMany({
      where: { objectId: shopper.id },
      orderBy: { sequence: 'asc' },
    });
    expect([sequence, reported.map((event) => event.sequence), reported.at(-1)?.type]).toEqual([
      5,
      [1, 2, 3, 4, 5],
      'funnel/converted',
    ]);
  });

  test('leaves an offer without a charge', async () => {
    const shopper = await atCheckout();
    await shopper.ask('/pay', payment());
    expect((await shopper.ask('/decline', { stepId: 'upsell' })).body).toMatchObject({
      step: { id: 'thanks' },
      orders: [{ amount: 4900 }],
    });
    expect(await ordersOf(shopper.id)).toEqual(['checkout 4900 paid']);
  });

  test('stays after a decline, shows payer-safe details, and pays the same order with another card', async () => {
    const shopper = await atCheckout();
    const words: unknown[] = [];
    for (const card of ['4000000000000002', '4000000000009995', '4000000000009987'])
      words.push((await shopper.ask('/pay', payment(card))).body.payment);
    const declined = 'The card was declined. Try another card.';
    expect(words).toEqual(
      [
        ['card_declined', declined],
        ['insufficient_funds', 'The card has not enough funds. Try another card.'],
        ['card_declined', declined],
      ].map(([reason, message]) => ({ status: 'declined', url: null, reason, message })),
    );
    // The language of the address goes before that of the browser.
    const told = async (search: string, language: string) =>
      (await ask(shopper.token, search, undefined, { 'Accept-Language': language })).body.payment.message;
    expect([await told('', 'de-AT'), await told('?lang=en', 'de'), await told('?lang=de', 'en')]).toEqual([
      'Die Karte wurde abgelehnt. Versuchen Sie es mit einer anderen.',
      declined,
      'Die Karte wurde abgelehnt. Versuchen Sie es mit einer anderen.',
    ]);
    expect(await ordersOf(shopper.id)).toEqual(['checkout 4900 failed']);
    await shopper.ask('/pay', payment('5555555555554444', { email: 'other@example.com' }));
    expect(await ordersOf(shopper.id)).toEqual(['checkout 4900 paid']);
    expect([await stepOf(shopper.id), await paymentsOf(shopper.id)]).toEqual(['upsell', 4]);
  });

  test('follows an edge for a decline if there is one', async () => {
    const own = {
      nodes: [...exampleGraph.nodes, { id: 'help', type: 'downsell' }],
      edges: [
        ...exampleGraph.edges,
        {
          source: 'checkout',
          target: 'help',
          condition: { when: 'payment_declined', expression: 'payment.failureCode == "insufficient_funds"' },
        },
      ],
    };
    const { id } = await addFunnel(account, own);
    const shopper = await atCheckout({ funnelId: id });
    expect((await shopper.ask('/pay', payment('4000000000000002'))).body.step.id).toBe('checkout');
    expect((await shopper.ask('/pay', payment('4000000000009995'))).body.step.id).toBe('help');
  });

  test.each([
    ['success', 'upsell', 'succeeded'],
    ['fail', 'checkout', 'declined'],
  ] as const)('continues after a challenge that ends in %s', async (outcome, step, status) => {
    const shopper = await atCheckout();
    const challenged = (await shopper.ask('/pay', payment('4000000000003220'))).body;
    expect(challenged).toMatchObject({
      step: { id: 'checkout' },
      payment: { status: 'requires_action', url: `${platform.url}/checkout/sessions/${shopper.token}/challenge` },
    });
    expect((await shopper.ask('/continue', {})).body.payment.status).toBe('requires_action');
    expect((await shopper.ask('/pay', payment())).body.data.reason).toBe('invalid_state');
    await answerBank(challenged.payment.url, outcome);
    const after = (await shopper.ask('/continue', {})).body;
    expect([after.step.id, after.payment?.status ?? status]).toEqual([step, status]);
  });

  test('pays once, however often and concurrently the same attempt is sent', async () => {
    const shopper = await atCheckout();
    const attempt = payment();
    const answers = await Promise.all(Array.from({ length: 6 }, () => shopper.ask('/pay', attempt)));
    expect(answers.every(({ status }) => status === 200 || status === 409)).toBe(true);
    expect(await paymentsOf(shopper.id)).toBe(1);
    expect((await shopper.ask('/pay', attempt)).body.step.id).toBe('upsell');
    const yes = await Promise.all(
      Array.from({ length: 6 }, (_, index) => shopper.ask('/accept', { stepId: 'upsell', attemptId: `yes-${index}` })),
    );
    expect(yes.some(({ status }) => status === 200)).toBe(true);
    expect([await ordersOf(shopper.id), await paymentsOf(shopper.id)]).toEqual([
      ['checkout 4900 paid', 'upsell 1900 paid'],
      2,
    ]);
  });

  test("pays by the step's payment flow, and by the store's once that is deleted", async () => {
    const processor = await account.api.ok('/processors/create', {
      storeId: account.storeId,
      name: 'Second',
      type: 'test',
    });
    const flow = await account.api.ok('/payment-flows/create', {
      storeId: account.storeId,
      name: 'Second only',
      strategy: 'simple',
      processors: [{ processorId: processor.id, weight: 1 }],
    });
    const nodes = exampleGraph.nodes.map((node) =>
      node.id === 'checkout' ? { ...node, config: { ...node.config, paymentFlowId: flow.id } } : node,
    );
    const { id } = await addFunnel(account, { nodes });
    const routed: boolean[] = [];
    for (const isThere of [true, false]) {
      if (!isThere) await account.api.ok(`/payment-flows/${flow.id}`, undefined, { method: 'DELETE' });
      const shopper = await atCheckout({ funnelId: id });
      expect((await shopper.ask('/pay', payment())).body.step.id).toBe('upsell');
      const [paid] = await platform.services.prisma.payment.findMany({
        where: { order: { funnelOrders: { some: { sessionId: shopper.id } } } },
      });
      routed.push(paid?.processorId === processor.id);
    }
    expect(routed).toEqual([true, false]);
  });

  test('409 with the current step when a page is of another step, without an effect', async () => {
    const shopper = await atCheckout();
    for (const [path, body] of [
      ['/next', { stepId: 'landing' }],
      ['/accept', { stepId: 'upsell', attemptId: 'a' }],
      ['/decline', { stepId: 'upsell' }],
      ['/pay', payment(undefined, { stepId: 'landing' })],
    ] as const)
      expect((await shopper.ask(path, body)).body.step.id, path).toBe('checkout');
    expect(await paymentsOf(shopper.id)).toBe(0);
  });

  test('409 for an action that the current step does not allow', async () => {
    const shopper = await visitor();
    expect((await shopper.ask('/pay', payment(undefined, { stepId: 'landing' }))).status).toBe(409);
    await shopper.ask('/next', { stepId: 'landing' });
    for (const [path, body] of [
      ['/next', { stepId: 'checkout' }],
      ['/accept', { stepId: 'checkout', attemptId: 'a' }],
      ['/decline', { stepId: 'checkout' }],
    ] as const)
      expect((await shopper.ask(path, body)).status, path).toBe(409);
    const offer = await addFunnel(account, {
      nodes: [{ id: 'offer', type: 'offer', isEntry: true, config: exampleGraph.nodes[2]?.config }],
      edges: [],
    });
    const early = await visitor({ funnelId: offer.id });
    expect((await early.ask('/accept', { stepId: 'offer', attemptId: 'a' })).body.message).toContain('no card');
  });

  test('400 naming the fields of the form, without their values', async () => {
    const shopper = await atCheckout();
    const shape = await shopper.ask('/pay', {
      stepId: 'checkout',
      attemptId: 'a b',
      email: 'nobody',
      cardNumber: { x: 1 },
      cvc: '12x',
      cardholderName: 3,
    });
    expect([shape.status, shape.body.data.issues.map(({ path }: { path: string }) => path).sort()]).toEqual([
      400,
      ['attemptId', 'cardNumber', 'cardholderName', 'cvc', 'email', 'expMonth', 'expYear'],
    ]);
    const rejected = await shopper.ask('/pay', payment('4242424242424241', { expYear: 2020 }));
    expect([rejected.status, rejected.body.data.issues.map(({ path }: { path: string }) => path).sort()]).toEqual([
      400,
      ['cardNumber', 'expYear'],
    ]);
    expect(await ordersOf(shopper.id)).toEqual([]);
  });
});

describe("a funnel's own link", () => {
  const enter = (id: string, headers: Record<string, string> = {}) =>
    fetch(`${platform.url}/checkout/funnels/${id}`, { redirect: 'manual', headers });

  test('303 to the first page of a new session on each visit', async () => {
    const { deploymentId, instance } = await account.api.ok('/plugins/v2/deploy', {
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
    const own = await addFunnel(account, { nodes });
    // An instance that is not mounted has no page.
    expect((await enter(own.id)).status).toBe(404);
    await account.api.ok('/plugins/v2/instance/mount', {
      deploymentInstanceId: instance.id,
      storeId: account.storeId,
      alias: 'shop',
    });
    const urls = await Promise.all([1, 2].map(async () => (await enter(own.id)).headers.get('location') ?? ''));
    expect(new Set(urls).size).toBe(2);
    const [url = ''] = urls;
    expect(url).toMatch(new RegExp(`^${platform.url}/p/${account.storeId}/shop/landing\\?session=[A-Za-z0-9_-]{43}$`));
    const token = new URL(url).searchParams.get('session') ?? '';
    const moved = await ask(token, '/next', { stepId: 'landing' });
    expect(moved.body.url).toBe(`${platform.url}/p/${account.storeId}/shop/pay?session=${token}`);
    // The API returns the same link. An instance of a step must belong to the funnel's store.
    expect((await account.api.ok(`/funnel-sessions/${moved.body.sessionId}`)).url).toBe(moved.body.url);
    expect(await (await fetch(moved.body.url)).text()).toContain(`"session":{"token":"${token}"}`);
    const stranger = await account.api.call('/funnels', {
      name: 'x',
      nodes: [{ id: 'a', type: 'landing', isEntry: true, config: { instanceId: 'pin_nobody' } }],
      edges: [],
    });
    expect(stranger.body.data.issues).toEqual([
      { path: 'nodes[0].config.instanceId', message: 'must be a plugin instance of the store' },
    ]);
    const unrouted = await account.api.call('/funnels', {
      name: 'x',
      nodes: [{ id: 'a', type: 'landing', isEntry: true, config: { paymentFlowId: 'flow_nobody' } }],
      edges: [],
    });
    expect(unrouted.body.data.issues).toEqual([
      { path: 'nodes[0].config.paymentFlowId', message: 'must be a payment flow of the account' },
    ]);
  });

  test('404 without a funnel or pages, 403 while the partner is suspended, 429 past 60 a minute', async () => {
    clock.advance(61_000);
    const before = await platform.services.prisma.funnelSession.count();
    const plain = await addFunnel(account);
    for (const id of ['x', 'funnel_nobody', plain.id, '%00']) expect((await enter(id)).status, id).toBe(404);
    const other = await seedPartner(platform);
    const { id } = await addFunnel(await other.account());
    await platform.services.prisma.partner.update({ where: { id: other.id }, data: { status: 'suspended' } });
    expect((await enter(id)).status).toBe(403);
    const many = await Promise.all(Array.from({ length: 56 }, () => enter(plain.id)));
    expect(many.map(({ status }) => status).sort()).toEqual([...Array(55).fill(404), 429]);
    expect(await platform.services.prisma.funnelSession.count()).toBe(before);
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
    expect((await ask(shopper.token, '', undefined, { Origin: platform.url })).status).toBe(200);
    expect((await ask(shopper.token, '')).headers.get('access-control-allow-origin')).toBeNull();
    const other = await seedPartner(platform);
    const theirs = await other.account();
    const { id } = await theirs.api.ok('/funnel-sessions', { funnelId: (await addFunnel(theirs)).id });
    await platform.services.prisma.partner.update({ where: { id: other.id }, data: { status: 'suspended' } });
    expect((await ask(checkoutToken(platform.services.config, id))).body.data.reason).toBe('partner_not_active');
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
    expect(back).toMatch(new RegExp(`^${platform.url}/checkout/return/${shopper.id}\\?paymentId=pay_`));
    // This funnel has no pages to return to.
    expect((await fetch(back, { redirect: 'manual', headers: { cookie: cookie.split(';')[0] ?? '' } })).status).toBe(
      404,
    );
    expect(await (await fetch(back, { redirect: 'manual' })).json()).toMatchObject({
      message: 'There is no such checkout session.',
    });
  });

  test('can be used by a page without an origin, such as a plugin page', async () => {
    const shopper = await visitor();
    const preflight = await fetch(`${platform.url}/checkout/sessions/${shopper.token}/next`, {
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
        await fetch(`${platform.url}/checkout/sessions/${shopper.token}`, {
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
    const { rows } = await platform.services.pool.query<{ table: string }>(
      `SELECT format('%I.%I', table_schema, table_name) AS table
        FROM information_schema.tables
        WHERE table_schema IN ('public', 'limits', 'vault') AND table_type = 'BASE TABLE'`,
    );
    const texts = await Promise.all(
      rows.map(
        async ({ table }) =>
          (
            await platform.services.pool.query<{ text: string }>(
              `SELECT coalesce(string_agg(t::text, ' '), '') AS text FROM ${table} t`,
            )
          ).rows[0]?.text ?? '',
      ),
    );
    for (const text of [...texts, platform.logged.join('\n')])
      expect(text.includes(shopper.token) || text.includes('4000000000003220')).toBe(false);
    expect(platform.logged.some((line) => line.includes('/checkout/sessions/:token'))).toBe(true);
  });
});

describe('a payment moves its session', () => {
  test('when its outcome is resolved later, after the visitor left', async () => {
    let fate: Fate = 'answerLost';
    const asked = withLostAnswers(platform, () => fate);
    const shopper = await atCheckout();
    expect((await shopper.ask('/pay', payment())).body.payment).toEqual({
      status: 'processing',
      url: null,
      reason: null,
      message: null,
    });
    expect([asked.authorize, await followPayments(platform.services)]).toEqual([1, 0]);
    fate = 'answered';
    clock.advance(60_000);
    expect(await resolveUnknownPayments(platform.services)).toBe(1);
    expect([await stepOf(shopper.id), await followPayments(platform.services), await stepOf(shopper.id)]).toEqual([
      'checkout',
      1,
      'upsell',
    ]);
    expect([asked.authorize, await ordersOf(shopper.id)]).toEqual([1, ['checkout 4900 paid']]);
  });

  test('once, by the job, when the server that charged died first', async () => {
    const { id: ownFunnel } = await addFunnel(account);
    const shopper = await atCheckout({ funnelId: ownFunnel });
    await shopper.ask('/pay', payment('4000000000003220'));
    const [order] = await platform.services.prisma.funnelOrder.findMany({ where: { sessionId: shopper.id } });
    const [challenged] = await platform.services.prisma.payment.findMany({ where: { orderId: order?.orderId ?? '' } });
    const { threedsSessionId } = challenged?.requireActionData as { threedsSessionId: string };
    await fetch(`${platform.url}/test/3ds/${threedsSessionId}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: '{"outcome":"success"}',
    });
    // Another caller continues the payment, and the session is not notified.
    await account.api.ok('/payments/continue', { paymentId: challenged?.id });
    expect(await stepOf(shopper.id)).toBe('checkout');
    await Promise.all([
      followPayments(platform.services),
      followPayments(platform.services),
      shopper.ask('/continue', {}),
    ]);
    expect(await stepOf(shopper.id)).toBe('upsell');
    const system = {
      services: platform.services,
      actor: { kind: 'system', id: 'test' },
      requestId: 'test-again',
      ip: null,
      idempotency: null,
      replayed: false,
    };
    await followOrder(system, order?.orderId ?? '');
    expect(await followPayments(platform.services)).toBe(0);
    const { steps } = await account.api.ok(`/funnels/${ownFunnel}/figures`);
    expect(
      steps.map(
        ({
          stepId,
          views,
          conversions,
          revenue,
        }: {
          stepId: string;
          views: number;
          conversions: number;
          revenue: { amount: number }[];
        }) => [stepId, views, conversions, revenue[0]?.amount ?? 0],
      ),
    ).toEqual([
      ['landing', 1, 1, 0],
      ['checkout', 1, 1, 4900],
      ['upsell', 1, 0, 0],
      ['thanks', 0, 0, 0],
    ]);
    // Reported through the API, it is the same payment and does not move the session again.
    expect(
      (
        await account.api.call(`/funnel-sessions/${shopper.id}/next`, {
          event: { type: 'offer_accepted', data: { paymentId: challenged?.id } },
        })
      ).status,
    ).toBe(409);
  });

  test('after the day is over: an abandoned session is resumed', async () => {
    const shopper = await atCheckout();
    const challenged = (await shopper.ask('/pay', payment('4000000000003220'))).body;
    await answerBank(challenged.payment.url, 'success');
    await platform.services.prisma.funnelSession.update({
      where: { id: shopper.id },
      data: { expiresAt: new Date(0) },
    });
    await abandonSessions(platform.services);
    const abandoned = async () =>
      (await account.api.ok(`/funnels/${(await account.api.ok(`/funnel-sessions/${shopper.id}`)).funnelId}/figures`))
        .abandoned;
    const before = await abandoned();
    const [paymentRow] = await platform.services.prisma.payment.findMany({
      where: { order: { funnelOrders: { some: { sessionId: shopper.id } } } },
    });
    await account.api.ok('/payments/continue', { paymentId: paymentRow?.id });
    await followPayments(platform.services);
    expect(await account.api.ok(`/funnel-sessions/${shopper.id}`)).toMatchObject({
      currentStepId: 'upsell',
      status: 'active',
    });
    expect(before - (await abandoned())).toBe(1);
  });
});

test('no log line reports a failure', () =>
  expect(platform.logged.filter((line) => line.includes('"level":"error"'))).toEqual([]));
