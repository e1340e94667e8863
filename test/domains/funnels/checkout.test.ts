// cspell:ignore Karte wurde abgelehnt Versuchen einer anderen
import { describe, expect, test } from 'vitest';
import { expireChallenges } from '../../../src/domains/payments/resolution/expire.ts';
import { answerBank, checkoutWorld } from './checkout-world.ts';
import { addFunnel, exampleGraph } from './example-funnel.ts';

const world = checkoutWorld();
const { ask, visitor, payment, atCheckout, ordersOf, paymentsOf, stepOf } = world;

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
    const { items } = await world.account.api.ok('/payments', { pageSize: 2 });
    expect(items.map(({ metadata }: { metadata: unknown }) => metadata)).toEqual([
      { funnelSessionId: shopper.id, funnelStepId: 'upsell' },
      { funnelSessionId: shopper.id, funnelStepId: 'checkout' },
    ]);
    const { sequence } = await world.platform.services.prisma.funnelSession.findUniqueOrThrow({
      where: { id: shopper.id },
    });
    const reported = await world.platform.services.prisma.event.findMany({
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
        ['insufficient_funds', 'The card has insufficient funds. Try another card.'],
        ['card_declined', declined],
      ].map(([reason, message]) => ({ status: 'declined', url: null, reason, message })),
    );
    // The language of the address goes before that of the browser.
    const languageOf = async (search: string, language: string) =>
      (await ask(shopper.token, search, undefined, { 'Accept-Language': language })).body.payment.message;
    expect([
      await languageOf('', 'de-AT'),
      await languageOf('?lang=en', 'de'),
      await languageOf('?lang=de', 'en'),
    ]).toEqual([
      'Die Karte wurde abgelehnt. Versuchen Sie es mit einer anderen.',
      declined,
      'Die Karte wurde abgelehnt. Versuchen Sie es mit einer anderen.',
    ]);
    expect(await ordersOf(shopper.id)).toEqual(['checkout 4900 failed']);
    await shopper.ask('/pay', payment('5555555555554444', { email: 'other@example.com' }));
    expect(await ordersOf(shopper.id)).toEqual(['checkout 4900 paid']);
    expect([await stepOf(shopper.id), await paymentsOf(shopper.id)]).toEqual(['upsell', 4]);
  });

  test('is declined by a block rule on their address, and sees neither the name nor the id of the rule', async () => {
    const own = await world.partner.account();
    await addFunnel(own, { isDefault: true });
    const { id } = await own.api.ok('/block-rules', { name: 'Home network', ipAddress: '127.0.0.1' });
    const shopper = await visitor({}, own);
    await shopper.ask('/next', { stepId: 'landing' });
    const { status, body } = await shopper.ask('/pay', payment());
    expect([status, body.step.id, body.payment]).toEqual([
      200,
      'checkout',
      { status: 'declined', url: null, reason: 'card_declined', message: 'The card was declined. Try another card.' },
    ]);
    for (const shown of [body, (await shopper.ask()).body])
      expect(JSON.stringify(shown)).not.toMatch(new RegExp(`Home network|blocked|${id}`));
    const { items } = await own.api.ok('/payments', {});
    expect(items).toMatchObject([
      { failureCode: 'blocked_by_rule', failureMessage: `Blocked by the rule "Home network" (${id}).` },
    ]);
    await own.api.ok(`/block-rules/${id}`, { ipAddress: '127.0.0.2' }, { method: 'PUT' });
    expect((await shopper.ask('/pay', payment())).body.step.id).toBe('upsell');
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
    const { id } = await addFunnel(world.account, own);
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
      payment: { status: 'requires_action', url: `${world.platform.url}/checkout/sessions/${shopper.token}/challenge` },
    });
    expect((await shopper.ask('/continue', {})).body.payment.status).toBe('requires_action');
    expect((await shopper.ask('/pay', payment())).body.data.reason).toBe('invalid_state');
    await answerBank(challenged.payment.url, outcome);
    const after = (await shopper.ask('/continue', {})).body;
    expect([after.step.id, after.payment?.status ?? status]).toEqual([step, status]);
  });

  test.each([
    ['4000000000000069', 'expired_card'],
    ['4000000000000127', 'incorrect_cvc'],
    ['4000000000000119', 'processing_failed'],
  ])('sees why the card %s does not pay: %s', async (card, reason) => {
    const shopper = await atCheckout();
    const { step, payment: shown } = (await shopper.ask('/pay', payment(card))).body;
    expect([step.id, shown.reason, shown.message]).toEqual(['checkout', reason, expect.stringMatching(/\w/)]);
  });

  test('sees the reason of a challenge that fails, and of one that is not answered in time', async () => {
    const reasonOf = async (end: (url: string, paymentEndsAt: Date) => Promise<unknown>) => {
      const shopper = await atCheckout();
      const { url } = (await shopper.ask('/pay', payment('4000000000003220'))).body.payment;
      const waits = await world.platform.services.prisma.payment.findFirstOrThrow({
        where: { subStatus: 'requires_action', order: { funnelOrders: { some: { sessionId: shopper.id } } } },
      });
      await end(url, waits.actionExpiresAt as Date);
      await shopper.ask('/continue', {});
      const { step, payment: shown } = (await shopper.ask()).body;
      return `${step.id} ${shown?.reason}`;
    };
    expect(await reasonOf((url) => answerBank(url, 'fail'))).toBe('checkout authentication_failed');
    const expired = await reasonOf(async (_url, endsAt) => {
      world.clock.set(endsAt);
      await expireChallenges(world.platform.services);
    });
    expect(expired).toBe('checkout authentication_expired');
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
    const processor = await world.account.api.ok('/processors/create', {
      storeId: world.account.storeId,
      name: 'Second',
      type: 'test',
    });
    const flow = await world.account.api.ok('/payment-flows/create', {
      storeId: world.account.storeId,
      name: 'Second only',
      strategy: 'simple',
      processors: [{ processorId: processor.id, weight: 1 }],
    });
    const nodes = exampleGraph.nodes.map((node) =>
      node.id === 'checkout' ? { ...node, config: { ...node.config, paymentFlowId: flow.id } } : node,
    );
    const { id } = await addFunnel(world.account, { nodes });
    const routed: boolean[] = [];
    for (const isThere of [true, false]) {
      if (!isThere) await world.account.api.ok(`/payment-flows/${flow.id}`, undefined, { method: 'DELETE' });
      const shopper = await atCheckout({ funnelId: id });
      expect((await shopper.ask('/pay', payment())).body.step.id).toBe('upsell');
      const [paid] = await world.platform.services.prisma.payment.findMany({
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
    const offer = await addFunnel(world.account, {
      nodes: [{ id: 'offer', type: 'offer', isEntry: true, config: exampleGraph.nodes[2]?.config }],
      edges: [],
    });
    const early = await visitor({ funnelId: offer.id });
    expect((await early.ask('/accept', { stepId: 'offer', attemptId: 'a' })).body.message).toContain('No card');
  });

  test('413 for a body of more than 16 KiB, and not for one of 16 KiB', async () => {
    const shopper = await atCheckout();
    const ofSize = (bytes: number) => {
      const form = payment(undefined, { cardholderName: '' });
      return { ...form, cardholderName: 'x'.repeat(bytes - JSON.stringify(form).length) };
    };
    expect((await shopper.ask('/pay', ofSize(16 * 1024))).status).toBe(400);
    expect((await shopper.ask('/pay', ofSize(16 * 1024 + 1))).status).toBe(413);
  });

  test('400 naming the fields of the form, without their values', async () => {
    const shopper = await atCheckout();
    const shape = await shopper.ask('/pay', {
      stepId: 'checkout',
      attemptId: 'a b',
      email: 'unknown',
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

test('no log line reports a failure', () =>
  expect(world.platform.logged.filter((line) => line.includes('"level":"error"'))).toEqual([]));
