import { createCustomer } from '../../src/customers/operations.ts';
import type { Env } from '../../src/env.ts';
import { createPaymentInstrument } from '../../src/instruments/create-payment-instrument.ts';
import { deletePaymentInstrument } from '../../src/instruments/operations.ts';
import { tokenizeCard } from '../../src/instruments/tokenize-card.ts';
import type { TravellingClock } from '../../src/kit/clock.ts';
import { answerChallenge } from '../../src/payments/answer-challenge.ts';
import { continuePayment } from '../../src/payments/continue-payment.ts';
import { settleUnknownPayments } from '../../src/payments/jobs.ts';
import { processPayment } from '../../src/payments/process-payment.ts';
import { newStory, type Story } from './stories.ts';
import { contextOf, type Shop } from './tenants.ts';

type At = TravellingClock['at'];

/** More would only wait for one another's connections. */
const atOnce = 4;
const minuteMs = 60_000;

/** Every shop's customers, each with a card and what became of it. */
export async function charge(env: Env, at: At, shops: readonly Shop[], { began, now }: { began: Date; now: Date }): Promise<void> {
  const stories = shops.flatMap((shop) => Array.from({ length: shop.customers }, (_, index) => newStory(shop, index, { began, now })));
  const known = stories.filter(({ answerIsLost }) => !answerIsLost);
  await Promise.all(Array.from({ length: atOnce }, async () => {
    for (let story = known.pop(); story; story = known.pop()) await tell(env, at, story);
  }));
  // One after the other: settling looks at every payment, and another story's must not be in the middle of its charge.
  for (const story of stories.filter(({ answerIsLost }) => answerIsLost)) {
    await tell(env, at, story);
    await at(later(story.charges.at(-1)?.moment ?? now, 0.25), () => settleUnknownPayments(env));
  }
}

async function tell(env: Env, at: At, story: Story): Promise<void> {
  const { shop, joined, email, tags } = story;
  const context = () => contextOf(env, shop.caller);
  const { storeId } = shop;
  const instrument = await at(joined, async () => {
    const { id: customerId } = await createCustomer(context(), { storeId, email, tags });
    const token = story.card.startsWith('tok_') ? story.card : (await tokenizeCard(context(), { storeId, cardNumber: story.card, expMonth: 12, expYear: joined.getUTCFullYear() + 4, cvc: '123' })).token;
    return (await createPaymentInstrument(context(), { storeId, token, customerId })).paymentInstrument;
  });
  for (const { moment, amount, initiatedBy, challenge } of story.charges) {
    const reason = initiatedBy === 'merchant' ? ({ reasonType: 'recurring' } as const) : {};
    const input = { storeId, paymentInstrumentId: instrument.id, amount, currency: shop.currency, mode: 'purchase', initiatedBy, threeDs: 'automatic', ...reason } as const;
    const { payment } = await at(moment, () => processPayment(context(), input));
    if (payment.subStatus !== 'requires_action' || challenge === 'open') continue;
    const { threedsSessionId } = payment.requireActionData as { threedsSessionId: string }; // written as RequiredAction only
    if (challenge !== 'unanswered') await at(later(moment, 2), () => answerChallenge(env, threedsSessionId, challenge ?? 'success'));
    await at(later(moment, challenge === 'unanswered' ? 31 : 3), () => continuePayment(context(), payment.id));
  }
  if (story.removesCard) await at(later(story.charges.at(-1)?.moment ?? joined, 45), () => deletePaymentInstrument(context(), instrument.id));
}

function later(moment: Date, minutes: number): Date {
  return new Date(moment.getTime() + minutes * minuteMs);
}
