import { createCustomer } from '../../src/customers/operations.ts';
import type { Env } from '../../src/env.ts';
import type { KeyContext } from '../../src/graph/context.ts';
import { createPaymentInstrument } from '../../src/instruments/create-payment-instrument.ts';
import { deletePaymentInstrument } from '../../src/instruments/operations.ts';
import { tokenizeCard } from '../../src/instruments/tokenize-card.ts';
import type { TravellingClock } from '../../src/kit/clock.ts';
import { createOrder } from '../../src/orders/operations.ts';
import { answerChallenge } from '../../src/payments/answer-challenge.ts';
import { capturePayment, voidPayment } from '../../src/payments/capture-payment.ts';
import { continuePayment } from '../../src/payments/continue-payment.ts';
import { expireAuthorizations } from '../../src/payments/follow-up-jobs.ts';
import { settleUnknownPayments } from '../../src/payments/jobs.ts';
import { processPayment } from '../../src/payments/process-payment.ts';
import { refundPayment } from '../../src/payments/refund-payment.ts';
import { newStory, type Sequel, type Story } from './stories.ts';
import { contextOf, type Shop } from './tenants.ts';

type At = TravellingClock['at'];

/** More would only wait for one another's connections. */
const atOnce = 4;
const minuteMs = 60_000;
/** How long money is held, and a minute. */
const heldMin = 7 * 24 * 60 + 1;

/** Every shop's customers, each with a card and what became of it. */
export async function charge(
  env: Env,
  at: At,
  shops: readonly Shop[],
  { began, now }: { began: Date; now: Date },
): Promise<void> {
  const stories = shops.flatMap((shop) =>
    Array.from({ length: shop.customers }, (_, index) => newStory(shop, index, { began, now })),
  );
  const known = stories.filter(({ answerIsLost }) => !answerIsLost);
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (let story = known.pop(); story; story = known.pop()) await tell(env, at, story);
    }),
  );
  // One after the other: settling looks at every payment, and another story's must not be in the middle of its charge.
  for (const story of stories.filter(({ answerIsLost }) => answerIsLost)) {
    await tell(env, at, story);
    await at(later(story.charges.at(-1)?.moment ?? now, 0.25), () => settleUnknownPayments(env));
  }
  // In the order of their time, and each at its own: this, too, looks at every payment.
  const ends = stories
    .filter(({ sequel }) => sequel === 'expired')
    .map(({ charges }) => later(charges[0]?.moment ?? now, heldMin));
  for (const end of ends.filter((moment) => moment < now).sort((left, right) => left.getTime() - right.getTime()))
    await at(end, () => expireAuthorizations(env));
}

async function tell(env: Env, at: At, story: Story): Promise<void> {
  const { shop, joined, email, tags, sequel } = story;
  const context = () => contextOf(env, shop.caller);
  const { storeId } = shop;
  const instrument = await at(joined, async () => {
    const { id: customerId } = await createCustomer(context(), { storeId, email, tags });
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
                items: [{ name: 'A thing', quantity: 1, unitAmount: amount }],
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
    const { threedsSessionId } = payment.requireActionData as { threedsSessionId: string }; // written as RequiredAction only
    if (challenge !== 'unanswered')
      await at(later(moment, 2), () => answerChallenge(env, threedsSessionId, challenge ?? 'success'));
    await at(later(moment, challenge === 'unanswered' ? 31 : 3), () => continuePayment(context(), payment.id));
  }
  if (story.removesCard)
    await at(later(story.charges.at(-1)?.moment ?? joined, 45), () =>
      deletePaymentInstrument(context(), instrument.id),
    );
}

function isHeldFirst(sequel: Sequel | undefined): boolean {
  return sequel !== undefined && sequel !== 'refunded' && sequel !== 'partlyRefunded';
}

/** What the merchant does about a charge afterwards; nothing where time alone decides. */
async function follow(context: KeyContext, paymentId: string, amount: number, sequel: Sequel): Promise<void> {
  const part = Math.floor(amount / 2);
  if (sequel === 'captured') await capturePayment(context, { paymentId });
  if (sequel === 'partlyCaptured') await capturePayment(context, { paymentId, amount: part });
  if (sequel === 'voided') await voidPayment(context, paymentId);
  if (sequel === 'refunded') await refundPayment(context, { paymentId, reason: 'Sent back' });
  if (sequel === 'partlyRefunded')
    await refundPayment(context, { paymentId, amount: part, reason: 'Half of it sent back' });
}

function later(moment: Date, minutes: number): Date {
  return new Date(moment.getTime() + minutes * minuteMs);
}
