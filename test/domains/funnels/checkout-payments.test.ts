// cspell:ignore Karte wurde abgelehnt Versuchen einer anderen
import { describe, expect, test } from 'vitest';
import { followOrder, followPayments } from '../../../src/domains/funnels/sessions/follow-payments.ts';
import { abandonSessions } from '../../../src/domains/funnels/sessions/rows.ts';
import { resolveUnknownPayments } from '../../../src/domains/payments/resolution/resolve.ts';
import { type FaultKind, withLostAnswers } from '../../support/unreliable-processor.ts';
import { answerBank, checkoutWorld } from './checkout-world.ts';
import { addFunnel } from './example-funnel.ts';

const world = checkoutWorld();
const { clock, payment, atCheckout, ordersOf, stepOf } = world;

describe('a payment moves its session', () => {
  test('when its outcome is resolved later, after the visitor left', async () => {
    let fate: FaultKind = 'answerLost';
    const requested = withLostAnswers(world.platform, () => fate);
    const shopper = await atCheckout();
    expect((await shopper.ask('/pay', payment())).body.payment).toEqual({
      status: 'processing',
      url: null,
      reason: null,
      message: null,
    });
    expect([requested.authorize, await followPayments(world.platform.services)]).toEqual([1, 0]);
    fate = 'answered';
    clock.advance(60_000);
    expect(await resolveUnknownPayments(world.platform.services)).toBe(1);
    expect([await stepOf(shopper.id), await followPayments(world.platform.services), await stepOf(shopper.id)]).toEqual(
      ['checkout', 1, 'upsell'],
    );
    expect([requested.authorize, await ordersOf(shopper.id)]).toEqual([1, ['checkout 4900 paid']]);
  });

  test('once, by the job, when the server that charged died first', async () => {
    const { id: ownFunnel } = await addFunnel(world.account);
    const shopper = await atCheckout({ funnelId: ownFunnel });
    await shopper.ask('/pay', payment('4000000000003220'));
    const [order] = await world.platform.services.prisma.funnelOrder.findMany({ where: { sessionId: shopper.id } });
    const [challenged] = await world.platform.services.prisma.payment.findMany({
      where: { orderId: order?.orderId ?? '' },
    });
    const { threedsSessionId } = challenged?.requireActionData as { threedsSessionId: string };
    await fetch(`${world.platform.url}/test/3ds/${threedsSessionId}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: '{"outcome":"success"}',
    });
    // Another caller continues the payment, and the session is not notified.
    await world.account.api.ok('/payments/continue', { paymentId: challenged?.id });
    expect(await stepOf(shopper.id)).toBe('checkout');
    await Promise.all([
      followPayments(world.platform.services),
      followPayments(world.platform.services),
      shopper.ask('/continue', {}),
    ]);
    expect(await stepOf(shopper.id)).toBe('upsell');
    const system = {
      services: world.platform.services,
      actor: { kind: 'system', id: 'test' },
      requestId: 'test-again',
      ip: null,
      idempotency: null,
      answer: { replayed: false },
    };
    await followOrder(system, order?.orderId ?? '');
    expect(await followPayments(world.platform.services)).toBe(0);
    const { steps } = await world.account.api.ok(`/funnels/${ownFunnel}/figures`);
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
        await world.account.api.call(`/funnel-sessions/${shopper.id}/next`, {
          event: { type: 'offer_accepted', data: { paymentId: challenged?.id } },
        })
      ).status,
    ).toBe(409);
  });

  test('after the day is over: an abandoned session is resumed', async () => {
    const shopper = await atCheckout();
    const challenged = (await shopper.ask('/pay', payment('4000000000003220'))).body;
    await answerBank(challenged.payment.url, 'success');
    await world.platform.services.prisma.funnelSession.update({
      where: { id: shopper.id },
      data: { expiresAt: new Date(0) },
    });
    await abandonSessions(world.platform.services);
    const abandoned = async () =>
      (
        await world.account.api.ok(
          `/funnels/${(await world.account.api.ok(`/funnel-sessions/${shopper.id}`)).funnelId}/figures`,
        )
      ).abandoned;
    const before = await abandoned();
    const [paymentRow] = await world.platform.services.prisma.payment.findMany({
      where: { order: { funnelOrders: { some: { sessionId: shopper.id } } } },
    });
    await world.account.api.ok('/payments/continue', { paymentId: paymentRow?.id });
    await followPayments(world.platform.services);
    expect(await world.account.api.ok(`/funnel-sessions/${shopper.id}`)).toMatchObject({
      currentStepId: 'upsell',
      status: 'active',
    });
    expect(before - (await abandoned())).toBe(1);
  });
});

test('no log line reports a failure', () =>
  expect(world.platform.logged.filter((line) => line.includes('"level":"error"'))).toEqual([]));
