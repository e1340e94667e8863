// cspell:ignore Arbeitsheft Brot Ihnen Ihre Ihrem Karte Klick Küche Lektionen Maschine Ofen Rezepte Wochenende Zwölf aufgeht außer belastet bestes dazu eigenen einmal geschickt keine kurze noch schon wird

import { createFunnel } from '../../src/domains/funnels/graph/save-funnel.ts';
import { acceptOffer, declineOffer, leaveLanding, payCheckout } from '../../src/domains/funnels/public.ts';
import { checkoutToken } from '../../src/domains/funnels/sessions/rows.ts';
import { createFunnelSession } from '../../src/domains/funnels/sessions/start-session.ts';
import type { TravelingClock } from '../../src/lib/clock.ts';
import type { Services } from '../../src/services.ts';
import { type Demo, type DemoPlugin, demoNames } from '../../src/settings/demo-credentials.ts';
import { contextOf, type Shop } from './tenants.ts';

const dayMs = 86_400_000;
const minuteMs = 60_000;
/** More sessions at once would only wait for a connection. */
const atOnce = 4;
const visitors = 16;

/** The outcome of each visit: most visitors leave, some pay, and of these some accept the offer. */
const turns = ['reads', 'leaves', 'accepts', 'reads', 'declines', 'fails', 'accepts', 'leaves'] as const;

/** The demo's funnel on the pages of its sample checkout. */
export async function addFunnel(
  services: Services,
  { key, storeId, currency }: Shop,
  { deploymentInstanceId: instanceId }: Pick<DemoPlugin, 'deploymentInstanceId'>,
): Promise<NonNullable<Demo['funnel']>> {
  const sells = (name: string, unitAmount: number) => ({ currency, items: [{ name, quantity: 1, unitAmount }] });
  const page = (path: string, more: object = {}) => ({ instanceId, path, ...more });
  const { id } = await createFunnel(contextOf(services, key), {
    storeId,
    name: 'Course with workbook',
    isDefault: true,
    nodes: [
      {
        id: 'landing',
        name: 'Landing page',
        type: 'landing',
        isEntry: true,
        config: page('/landing', {
          headline: 'Bake bread that rises',
          intro: 'Twelve lessons on video, at your own pace.',
          translations: {
            de: { headline: 'Brot, das aufgeht', intro: 'Zwölf Lektionen als Video, in Ihrem eigenen Tempo.' },
          },
        }),
        variants: [
          { id: 'calm', percentage: 60 },
          {
            id: 'bold',
            percentage: 40,
            config: {
              headline: 'Your best loaf, this weekend',
              intro: 'Twelve short lessons, and no machine in your kitchen but the oven.',
              translations: {
                de: {
                  headline: 'Ihr bestes Brot, schon dieses Wochenende',
                  intro: 'Zwölf kurze Lektionen, und außer dem Ofen keine Maschine in der Küche.',
                },
              },
            },
          },
        ],
      },
      {
        id: 'checkout',
        name: 'Checkout',
        type: 'checkout',
        config: page('/checkout', sells(demoNames.course.name, demoNames.course.unitAmount)),
      },
      {
        id: 'upsell',
        name: 'Add the workbook?',
        type: 'upsell',
        config: page('/offer', {
          ...sells('Printed workbook', 1900),
          intro: 'All recipes on paper, sent to you. One click: your card is charged once more.',
          translations: {
            de: {
              headline: 'Das Arbeitsheft dazu?',
              intro: 'Alle Rezepte auf Papier, zu Ihnen geschickt. Ein Klick: Ihre Karte wird noch einmal belastet.',
            },
          },
        }),
      },
      { id: 'thanks', name: 'Thank you', type: 'thankyou', isConversion: true, config: page('/thank-you') },
    ],
    edges: [
      { source: 'landing', target: 'checkout' },
      { source: 'checkout', target: 'upsell', condition: { when: 'payment_succeeded' } },
      { source: 'upsell', target: 'thanks', condition: { when: 'offer_accepted' } },
      { source: 'upsell', target: 'thanks', condition: { when: 'offer_declined' } },
    ],
  });
  return { id, path: `/checkout/funnels/${id}` };
}

/** Two weeks of visitors, each through the operations its pages call, so that the statistics match the rows. */
export async function visitFunnel(
  services: Services,
  at: TravelingClock['at'],
  shop: Shop,
  funnelId: string,
  now: Date,
): Promise<void> {
  const waiting = Array.from({ length: visitors }, (_, index) => index);
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (let index = waiting.pop(); index !== undefined; index = waiting.pop()) {
        const moment = new Date(now.getTime() - 60 * minuteMs - Math.floor((14 * dayMs * (index + 0.5)) / visitors));
        await visit(services, at, shop, funnelId, { index, moment });
      }
    }),
  );
}

async function visit(
  services: Services,
  at: TravelingClock['at'],
  { key }: Shop,
  funnelId: string,
  { index, moment }: { index: number; moment: Date },
): Promise<void> {
  const turn = turns[index % turns.length] ?? 'reads';
  const after = (minutes: number) => new Date(moment.getTime() + minutes * minuteMs);
  const { id } = await at(moment, () => createFunnelSession(contextOf(services, key), { funnelId }));
  const from = { token: checkoutToken(services.config, id), requestId: 'demo_seed', ip: '127.0.0.1' };
  if (turn === 'reads') return;
  await at(after(1), () => leaveLanding(services, from, { stepId: 'landing' }));
  if (turn === 'leaves') return;
  const cardNumber = turn === 'fails' ? '4000000000000002' : '4242424242424242';
  const card = { cardNumber, expMonth: 12, expYear: moment.getUTCFullYear() + 3, cvc: '123', cardholderName: null };
  await at(after(3), () =>
    payCheckout(services, from, {
      stepId: 'checkout',
      attemptId: 'first',
      email: `visitor${index + 1}@example.com`,
      card,
    }),
  );
  if (turn === 'accepts')
    await at(after(4), () => acceptOffer(services, from, { stepId: 'upsell', attemptId: 'first' }));
  if (turn === 'declines') await at(after(4), () => declineOffer(services, from, { stepId: 'upsell' }));
}
