import type { TenantContext } from '../../src/call/context.ts';
import { createCustomer } from '../../src/domains/customers/change-customer.ts';
import { createPaymentInstrument } from '../../src/domains/instruments/create-payment-instrument.ts';
import { deletePaymentInstrument } from '../../src/domains/instruments/instrument-rows.ts';
import { tokenizeCard } from '../../src/domains/instruments/tokenize-card.ts';
import { createOrder } from '../../src/domains/orders/order-rows.ts';
import { answerChallenge } from '../../src/domains/payments/challenge/answer-challenge.ts';
import { continuePayment } from '../../src/domains/payments/challenge/continue-payment.ts';
import { processPayment } from '../../src/domains/payments/charge/process-payment.ts';
import { capturePayment, voidPayment } from '../../src/domains/payments/modification/modify-payment.ts';
import { refundPayment } from '../../src/domains/payments/modification/refund-payment.ts';
import { expireAuthorizations } from '../../src/domains/payments/resolution/expire.ts';
import { resolveUnknownPayments } from '../../src/domains/payments/resolution/resolve.ts';
import type { TravelingClock } from '../../src/lib/clock.ts';
import type { Services } from '../../src/services.ts';
import { personOf } from './names.ts';
import { type ChargeAftermath, newStory, type Story } from './stories.ts';
import { contextOf, type Shop } from './tenants.ts';

type At = TravelingClock['at'];

/** Charges that are made together share statements. More at once would only wait for a connection. */
const atOnce = 8;
const minuteMs = 60_000;
/** The validity of an authorization plus a minute. */
const heldMin = 7 * 24 * 60 + 1;

/** The customers of every shop, each with the history of its charges. */
export function storiesOf(shops: readonly Shop[], period: { began: Date; now: Date }): Story[] {
  // The names of each shop begin elsewhere in the list, so that the lists of all shops do not look alike.
  return shops.flatMap((shop, at) =>
    Array.from({ length: shop.customers }, (_, index) => newStory(shop, index, period, personOf(index + at * 29))),
  );
}

/** Plays the stories side by side, but for those of `playLostAnswers`. */
export async function playStories(
  services: Services,
  at: At,
  stories: readonly Story[],
  played: () => void,
): Promise<void> {
  const waiting = stories.filter(({ answerIsLost }) => !answerIsLost);
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (let story = waiting.pop(); story; story = waiting.pop()) {
        await playStory(services, at, story);
        played();
      }
    }),
  );
}

/**
 * The charges whose answers were lost, and the authorizations that expired. In sequence, and when nothing else is
 * charged: the jobs that end them read every payment.
 */
export async function playLostAnswers(services: Services, at: At, stories: readonly Story[], now: Date): Promise<void> {
  for (const story of stories.filter(({ answerIsLost }) => answerIsLost)) {
    await playStory(services, at, story);
    await at(later(story.charges.at(-1)?.moment ?? now, 0.25), () => resolveUnknownPayments(services));
  }
  // In chronological order, each at its own time.
  const ends = stories
    .filter(({ sequel }) => sequel === 'expired')
    .map(({ charges }) => later(charges[0]?.moment ?? now, heldMin));
  for (const end of ends.filter((moment) => moment < now).sort((left, right) => left.getTime() - right.getTime()))
    await at(end, () => expireAuthorizations(services));
}

async function playStory(services: Services, at: At, story: Story): Promise<void> {
  const { shop, joined, email, name, tags, sequel } = story;
  const context = () => contextOf(services, shop.key);
  const { storeId } = shop;
  const instrument = await at(joined, async () => {
    const { id: customerId } = await createCustomer(context(), { storeId, email, ...name, tags });
    const token = story.card.startsWith('tok_')
      ? story.card
      : (
          await tokenizeCard(context(), {
            storeId,
            cardNumber: story.card,
            expMonth: 12,
            expYear: joined.getUTCFullYear() + 4,
            cvc: '123',
          })
        ).token;
    return (await createPaymentInstrument(context(), { storeId, token, customerId })).paymentInstrument;
  });
  for (const [index, { moment, amount, initiatedBy, challenge }] of story.charges.entries()) {
    const first = index === 0;
    const reason = initiatedBy === 'merchant' ? ({ reasonType: 'recurring' } as const) : {};
    const { currency } = shop;
    const orderId =
      first && story.hasOrder
        ? (
            await at(joined, () =>
              createOrder(context(), {
                storeId,
                customerId: instrument.customerId,
                currency,
                items: [{ name: itemFor(amount), quantity: 1, unitAmount: amount }],
              }),
            )
          ).id
        : null;
    const mode = first && isHeldFirst(sequel) ? 'auth' : 'purchase';
    const input = {
      storeId,
      paymentInstrumentId: instrument.id,
      amount,
      currency,
      mode,
      initiatedBy,
      threeDs: 'automatic',
      ...(orderId !== null && { orderId }),
      ...reason,
    } as const;
    const { payment } = await at(moment, () => processPayment(context(), input));
    if (first && sequel) await at(later(moment, 90), () => follow(context(), payment.id, amount, sequel));
    if (payment.subStatus !== 'requires_action' || challenge === 'open') continue;
    // written as RequiredAction only
    const { threedsSessionId } = payment.requireActionData as { threedsSessionId: string };
    if (challenge !== 'unanswered')
      await at(later(moment, 2), () => answerChallenge(services, threedsSessionId, challenge ?? 'success'));
    await at(later(moment, challenge === 'unanswered' ? 31 : 3), () => continuePayment(context(), payment.id));
  }
  if (story.removesCard)
    await at(later(story.charges.at(-1)?.moment ?? joined, 45), () =>
      deletePaymentInstrument(context(), instrument.id),
    );
}

function isHeldFirst(sequel: ChargeAftermath | undefined): boolean {
  return sequel !== undefined && sequel !== 'refunded' && sequel !== 'partlyRefunded';
}

/** What the merchant does with a charge later; nothing if only time decides. */
async function follow(
  context: TenantContext,
  paymentId: string,
  amount: number,
  sequel: ChargeAftermath,
): Promise<void> {
  const part = Math.floor(amount / 2);
  if (sequel === 'captured') await capturePayment(context, { paymentId });
  if (sequel === 'partlyCaptured') await capturePayment(context, { paymentId, amount: part });
  if (sequel === 'voided') await voidPayment(context, paymentId);
  if (sequel === 'refunded') await refundPayment(context, { paymentId, reason: 'Sent back' });
  if (sequel === 'partlyRefunded')
    await refundPayment(context, { paymentId, amount: part, reason: 'Half of it sent back' });
}

/** What a customer of a coffee shop buys at about this price. */
function itemFor(amount: number): string {
  if (amount < 4_000) return 'Coffee beans';
  return amount < 12_000 ? 'Coffee grinder' : 'Espresso machine';
}

function later(moment: Date, minutes: number): Date {
  return new Date(moment.getTime() + minutes * minuteMs);
}
