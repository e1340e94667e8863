import { describe, expect, test } from 'vitest';
import { abandonSessions } from '../../../src/domains/funnels/sessions/rows.ts';
import { manualClock } from '../../../src/lib/clock.ts';
import { usePlatform } from '../../support/platform.ts';
import { seedPartner } from '../../support/seed.ts';
import { addFunnel, exampleGraph } from './example-funnel.ts';

const clock = manualClock(new Date('2026-06-01T12:00:00.000Z'));

const platform = await usePlatform({ clock });
const partner = await seedPartner(platform);
const account = await partner.account();
const funnelId = (await addFunnel(account, { isDefault: true })).id;

const begin = (more = {}) => account.api.ok('/funnel-sessions', more);
const next = (id: string, event: unknown, more = {}) =>
  account.api.call(`/funnel-sessions/${id}/next`, { event, ...more });
const eventsOf = async (id: string) =>
  (await platform.services.prisma.event.findMany({ where: { objectId: id }, orderBy: { sequence: 'asc' } })).map(
    ({ sequence, type, data }) =>
      `${sequence} ${type} ${(data as { object: { currentStepId: string } }).object.currentStepId}`,
  );
const figuresOf = async (id: string) =>
  (await account.api.ok(`/funnels/${id}/figures`)).steps.map(
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
    }) => `${stepId} ${views} ${conversions} ${revenue[0]?.amount ?? 0}`,
  );
const paid = async (more = {}) => (await account.charge('tok_visa', more)).payment['id'] as string;

describe('POST /funnel-sessions, GET /funnel-sessions/:id', () => {
  test('200: starts at the entry of the named or default funnel', async () => {
    const session = await begin();
    expect({ ...session, id: '' }).toEqual({
      id: '',
      storeId: account.storeId,
      platformAccountId: account.id,
      funnelId,
      funnelVersion: 1,
      customerId: null,
      currentStepId: 'landing',
      variantId: null,
      status: 'active',
      url: null,
      done: false,
      convertedAt: null,
      expiresAt: '2026-06-02T12:00:00.000Z',
      livemode: false,
      createdAt: '2026-06-01T12:00:00.000Z',
      updatedAt: '2026-06-01T12:00:00.000Z',
    });
    expect(await account.api.ok(`/funnel-sessions/${session.id}`)).toEqual(session);
    expect(await eventsOf(session.id)).toEqual(['1 funnel/stepEntered landing']);
    // A partner key names a store, or a funnel, which implies one.
    expect((await partner.api.ok('/funnel-sessions', { funnelId })).storeId).toBe(account.storeId);
    expect((await partner.api.call('/funnel-sessions', {})).body.data.issues[0].path).toBe('storeId');
  });

  test('404 without a default, and for a foreign funnel, customer or session; 403 for a foreign store', async () => {
    const other = await partner.account();
    const foreign = await addFunnel(other);
    const { id } = await other.api.ok('/funnel-sessions', { funnelId: foreign.id });
    expect((await other.api.call('/funnel-sessions', {})).body.message).toContain('no default funnel');
    expect((await account.api.call('/funnel-sessions', { funnelId: foreign.id })).status).toBe(404);
    expect(
      (await account.api.call('/funnel-sessions', { customerId: (await other.instrument()).customerId })).status,
    ).toBe(404);
    expect((await account.api.call('/funnel-sessions', { storeId: other.storeId })).status).toBe(403);
    expect((await account.api.call(`/funnel-sessions/${id}`)).status).toBe(404);
    expect((await next(id, { type: 'x' })).status).toBe(404);
  });

  test('a customer sees the same variant at every visit', async () => {
    const variants = [
      { id: 'a', percentage: 50 },
      { id: 'b', percentage: 50 },
    ];
    const { id } = await addFunnel(account, {
      nodes: [{ ...exampleGraph.nodes[0], variants }, ...exampleGraph.nodes.slice(1)],
    });
    for (const customerId of [(await account.instrument()).customerId, (await account.instrument()).customerId]) {
      const seen = await Promise.all([1, 2, 3].map(async () => (await begin({ funnelId: id, customerId })).variantId));
      expect(new Set(seen).size).toBe(1);
    }
    const many = await Promise.all(Array.from({ length: 12 }, async () => (await begin({ funnelId: id })).variantId));
    expect(many.every((variant) => variant === 'a' || variant === 'b')).toBe(true);
  });
});

describe('POST /funnel-sessions/:id/next', () => {
  test('200 along the funnel; amounts are read from payments only; events and figures have no gaps', async () => {
    const { id: ownFunnel } = await addFunnel(account);
    const { id } = await begin({ funnelId: ownFunnel });
    expect((await next(id, { type: 'clicked' })).body).toEqual({
      sessionId: id,
      fromStepId: 'landing',
      currentStepId: 'checkout',
      variantId: null,
      url: null,
      done: false,
    });
    // No edge matches: the visitor stays.
    expect((await next(id, { type: 'clicked' })).body).toMatchObject({
      fromStepId: 'checkout',
      currentStepId: 'checkout',
    });
    expect((await next(id, { type: 'payment_succeeded' })).body.data.issues[0].path).toBe('event.data.paymentId');
    const declined = (await account.charge('tok_visa_declined')).payment['id'];
    expect((await next(id, { type: 'payment_succeeded', data: { paymentId: declined } })).body.data.reason).toBe(
      'invalid_state',
    );
    expect((await next(id, { type: 'payment_declined', data: { paymentId: declined } })).body.currentStepId).toBe(
      'checkout',
    );
    const paymentId = await paid();
    expect((await next(id, { type: 'payment_succeeded', data: { paymentId } })).body).toMatchObject({
      fromStepId: 'checkout',
      currentStepId: 'upsell',
    });
    expect((await next(id, { type: 'offer_accepted', data: { paymentId } })).body.data.reason).toBe('already_exists');
    expect((await next(id, { type: 'offer_declined' })).body).toMatchObject({ currentStepId: 'thanks', done: true });
    const session = await account.api.ok(`/funnel-sessions/${id}`);
    expect(session).toMatchObject({
      status: 'completed',
      done: true,
      convertedAt: expect.any(String),
      customerId: expect.stringMatching(/^cus_/),
    });
    expect(await eventsOf(id)).toEqual([
      '1 funnel/stepEntered landing',
      '2 funnel/stepEntered checkout',
      '3 funnel/stepEntered upsell',
      '4 funnel/stepEntered thanks',
      '5 funnel/converted thanks',
    ]);
    expect(await figuresOf(ownFunnel)).toEqual(['landing 1 1 0', 'checkout 1 1 2500', 'upsell 1 0 0', 'thanks 1 0 0']);
    expect(await account.api.ok(`/funnels/${ownFunnel}/figures`)).toMatchObject({
      sessions: 1,
      converted: 1,
      revenue: [{ currency: 'USD', amount: 2500 }],
    });
    // A step without an outgoing edge stays.
    expect((await next(id, { type: 'clicked' })).body).toMatchObject({
      fromStepId: 'thanks',
      currentStepId: 'thanks',
      done: true,
    });
  });

  test('200: the same event id moves once, repeated and at once', async () => {
    const { id } = await begin();
    const answers = await Promise.all(Array.from({ length: 8 }, () => next(id, { id: 'click-1', type: 'clicked' })));
    expect(new Set(answers.map(({ status, body }) => `${status} ${JSON.stringify(body)}`)).size).toBe(1);
    expect((await next(id, { id: 'click-1', type: 'another' })).body).toEqual(answers[0]?.body);
    expect(await eventsOf(id)).toHaveLength(2);
  });

  test('200: of many at once for one step, one moves', async () => {
    const { id: long } = await addFunnel(account, {
      nodes: ['a', 'b', 'c', 'd', 'e', 'f'].map((step, index) => ({ id: step, type: 'landing', isEntry: index === 0 })),
      edges: ['ab', 'bc', 'cd', 'de', 'ef'].map(([source, target]) => ({ source, target })),
    });
    const { id } = await begin({ funnelId: long });
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => next(id, { type: 'clicked' }, { fromStepId: 'a' })),
    );
    expect(answers.filter(({ body }) => body.fromStepId !== body.currentStepId)).toHaveLength(1);
    expect((await account.api.ok(`/funnel-sessions/${id}`)).currentStepId).toBe('b');
    // Without a step in the request, each call applies to the step it found: in any order, each step is left by exactly
    // one of them.
    const free = await Promise.all(Array.from({ length: 8 }, () => next(id, { type: 'clicked' })));
    const moves = free.filter(({ body }) => body.fromStepId !== body.currentStepId).map(({ body }) => body.fromStepId);
    expect(new Set(moves).size).toBe(moves.length);
    expect(await eventsOf(id)).toHaveLength(2 + moves.length);
    const { steps } = await account.api.ok(`/funnels/${long}/figures`);
    expect(steps.reduce((sum: number, { views }: { views: number }) => sum + views, 0)).toBe(2 + moves.length);
  });

  test('200 for one session and 409 for the other, when both name one payment at once', async () => {
    const sessions = await Promise.all([1, 2, 3, 4].map(() => begin()));
    for (const { id } of sessions) await next(id, { type: 'clicked' });
    const paymentId = await paid();
    const answers = await Promise.all(
      sessions.map(({ id }) => next(id, { type: 'payment_succeeded', data: { paymentId } })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
  });

  test('200: refunds are counted beside the revenue, also when made before the session saw the payment', async () => {
    const { id: ownFunnel } = await addFunnel(account);
    const revenue = async () => (await account.api.ok(`/funnels/${ownFunnel}/figures`)).steps[1].revenue;
    const pay = async (paymentId: string) => {
      const { id } = await begin({ funnelId: ownFunnel });
      await next(id, { type: 'clicked' });
      expect((await next(id, { type: 'payment_succeeded', data: { paymentId } })).body.currentStepId).toBe('upsell');
    };
    const [one, two] = [await paid(), await paid()];
    await pay(one);
    expect(await revenue()).toEqual([{ currency: 'USD', amount: 2500, refunded: 0 }]);
    await account.api.ok('/payments/refund', { paymentId: one, amount: 400 });
    await Promise.all([1, 2, 3].map(() => account.api.ok('/payments/refund', { paymentId: one, amount: 100 })));
    await account.api.ok('/payments/refund', { paymentId: two, amount: 1000 });
    expect(await revenue()).toEqual([{ currency: 'USD', amount: 2500, refunded: 700 }]);
    await pay(two);
    expect(await revenue()).toEqual([{ currency: 'USD', amount: 5000, refunded: 1700 }]);
    await account.api.ok('/payments/refund', { paymentId: two });
    expect(await account.api.ok(`/funnels/${ownFunnel}/figures`)).toMatchObject({
      revenue: [{ currency: 'USD', amount: 5000, refunded: 3200 }],
    });
  });

  test('200: revenue and its refunded part are counted for each step and each variant', async () => {
    const variants = [
      { id: 'a', percentage: 50 },
      { id: 'b', percentage: 50 },
    ];
    const [landing, checkout, ...rest] = exampleGraph.nodes;
    const { id: ownFunnel } = await addFunnel(account, { nodes: [landing, { ...checkout, variants }, ...rest] });
    const expected: Record<string, { amount: number; refunded: number }> = {};
    for (let visits = 0; visits < 40 && Object.keys(expected).length < 2; visits++) {
      const { id } = await begin({ funnelId: ownFunnel });
      const { variantId } = (await next(id, { type: 'clicked' })).body;
      const paymentId = await paid();
      await next(id, { type: 'payment_succeeded', data: { paymentId } });
      await account.api.ok('/payments/refund', { paymentId, amount: variantId === 'a' ? 100 : 30 });
      const sums = (expected[variantId] ??= { amount: 0, refunded: 0 });
      sums.amount += 2500;
      sums.refunded += variantId === 'a' ? 100 : 30;
    }
    const { steps } = await account.api.ok(`/funnels/${ownFunnel}/figures`);
    const [, paidStep, offer] = steps;
    const ofVariants = Object.fromEntries(
      paidStep.variants.map(({ variantId, revenue }: { variantId: string; revenue: object[] }) => [variantId, revenue]),
    );
    expect(ofVariants).toEqual({
      a: [{ currency: 'USD', ...expected['a'] }],
      b: [{ currency: 'USD', ...expected['b'] }],
    });
    const total = (name: 'amount' | 'refunded') => Object.values(expected).reduce((sum, part) => sum + part[name], 0);
    expect([paidStep.revenue, offer.revenue]).toEqual([
      [{ currency: 'USD', amount: total('amount'), refunded: total('refunded') }],
      [],
    ]);
  });

  test("200: a refund that races the session's payment event counts once", async () => {
    const { id: ownFunnel } = await addFunnel(account);
    for (let round = 0; round < 4; round++) {
      const paymentId = await paid();
      const { id } = await begin({ funnelId: ownFunnel });
      await next(id, { type: 'clicked' });
      await Promise.all([
        next(id, { type: 'payment_succeeded', data: { paymentId } }),
        account.api.ok('/payments/refund', { paymentId, amount: 100 }),
      ]);
    }
    expect((await account.api.ok(`/funnels/${ownFunnel}/figures`)).revenue).toEqual([
      { currency: 'USD', amount: 10_000, refunded: 400 },
    ]);
  });

  test('404 for a payment of another account, 400 for an unknown event', async () => {
    const { id } = await begin();
    const other = await partner.account();
    const { payment } = await other.charge();
    expect((await next(id, { type: 'payment_succeeded', data: { paymentId: payment['id'] } })).body.code).toBe(
      'PAYMENT_NOT_FOUND',
    );
    for (const [path, event] of [
      ['event.type', {}],
      ['event.id', { type: 'x', id: 'a b' }],
      ['event.data', { type: 'x', data: { text: 'x'.repeat(4_100) } }],
      ['event.data.paymentId', { type: 'x', data: { paymentId: 7 } }],
    ] as const)
      expect((await next(id, event)).body.data.issues[0].path).toBe(path);
  });

  test('200: an expression reads event, payment and customer', async () => {
    const when = (expression: string) => ({ when: 'expression', expression });
    const { id: judged } = await addFunnel(account, {
      nodes: [
        { id: 'a', type: 'landing', isEntry: true },
        { id: 'gold', type: 'landing' },
        { id: 'rich', type: 'landing' },
        { id: 'rest', type: 'landing' },
      ],
      edges: [
        { source: 'a', target: 'gold', condition: when('event.data.plan == "gold"') },
        {
          source: 'a',
          target: 'rich',
          condition: when('payment.amount > 5000 && customer.email.endsWith("@example.com")'),
          priority: 1,
        },
        { source: 'a', target: 'rest', priority: 2 },
      ],
    });
    const ends = [];
    for (const event of [
      { type: 'x', data: { plan: 'gold' } },
      { type: 'x', data: { plan: 7 } },
      { type: 'payment_succeeded', data: { paymentId: await paid({ amount: 6000 }) } },
      { type: 'payment_succeeded', data: { paymentId: await paid({ amount: 5000 }) } },
    ])
      ends.push((await next((await begin({ funnelId: judged })).id, event)).body.currentStepId);
    expect(ends).toEqual(['gold', 'rest', 'rich', 'rest']);
  });

  test('a session keeps the funnel version it started with after PUT and DELETE', async () => {
    const { id: changing } = await addFunnel(account);
    const before = await begin({ funnelId: changing });
    const { nodes, edges } = {
      nodes: [exampleGraph.nodes[0], { id: 'elsewhere', type: 'thankyou' }],
      edges: [{ source: 'landing', target: 'elsewhere' }],
    };
    expect((await account.api.ok(`/funnels/${changing}`, { nodes, edges }, { method: 'PUT' })).version).toBe(2);
    const after = await begin({ funnelId: changing });
    expect([
      (await next(before.id, { type: 'x' })).body.currentStepId,
      (await next(after.id, { type: 'x' })).body.currentStepId,
    ]).toEqual(['checkout', 'elsewhere']);
    await account.api.ok(`/funnels/${changing}`, undefined, { method: 'DELETE' });
    expect(
      (await next(before.id, { type: 'payment_succeeded', data: { paymentId: await paid() } })).body.currentStepId,
    ).toBe('upsell');
    expect((await account.api.call('/funnel-sessions', { funnelId: changing })).status).toBe(404);
  });

  test('409 a day after the last event, when the session is abandoned', async () => {
    const { id } = await begin();
    clock.advance(24 * 3_600_000 - 1);
    await abandonSessions(platform.services);
    await next(id, { type: 'clicked' });
    clock.advance(24 * 3_600_000 - 1);
    await abandonSessions(platform.services);
    expect((await account.api.ok(`/funnel-sessions/${id}`)).status).toBe('active');
    clock.advance(1);
    expect((await next(id, { type: 'clicked' })).body.data.reason).toBe('invalid_state');
    expect(await abandonSessions(platform.services)).toBeGreaterThan(0);
    expect((await account.api.ok(`/funnel-sessions/${id}`)).status).toBe('abandoned');
    const figures = await account.api.ok(`/funnels/${funnelId}/figures`);
    const { rows } = await platform.services.pool.query(
      `SELECT count(*) AS n FROM funnel_sessions WHERE "funnelId" = $1 AND status = 'abandoned'`,
      [funnelId],
    );
    expect([
      figures.abandoned,
      figures.steps.reduce((sum: number, step: { abandoned: number }) => sum + step.abandoned, 0),
    ]).toEqual([rows[0].n, rows[0].n]);
    expect((await next(id, { type: 'clicked' })).status).toBe(409);
  });
});
