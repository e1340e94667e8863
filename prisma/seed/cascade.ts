import { createCustomer } from '../../src/customers/operations.ts';
import type { Env } from '../../src/env.ts';
import { createPaymentInstrument } from '../../src/instruments/create-payment-instrument.ts';
import { tokenizeCard } from '../../src/instruments/tokenize-card.ts';
import type { TravellingClock } from '../../src/kit/clock.ts';
import { createPaymentFlow } from '../../src/payment-flows/operations.ts';
import { processPayment } from '../../src/payments/process-payment.ts';
import { createProcessor, listProcessors } from '../../src/processors/operations.ts';
import { contextOf, type Shop } from './tenants.ts';

const dayMs = 86_400_000;
const hourMs = 3_600_000;
/** The first processor of the flow fails every time: who is approved is approved by the second. */
const cards = [
  '4242424242424242',
  '4000000000009995',
  '5555555555554444',
  '4000000000000119',
  '4242424242424242',
  '4000000000009987',
];

/**
 * A second test processor, which fails, a cascade that goes on from it to the first, and what became of a few charges on that way;
 * and a processor of the type `stripe` without a key yet, to be connected.
 */
export async function addCascade(
  env: Env,
  at: TravellingClock['at'],
  { caller, storeId, currency }: Shop,
  now: Date,
): Promise<void> {
  const context = () => contextOf(env, caller);
  // Later than the account's first processor, where charges go that name no flow.
  const { id: paymentFlowId } = await at(new Date(now.getTime() - 60 * dayMs), async () => {
    const { items } = await listProcessors(context(), { filters: { type: ['test'] } });
    await createProcessor(context(), { name: 'Stripe, not connected yet', type: 'stripe', enabled: true });
    const { id: failing } = await createProcessor(context(), {
      name: 'Processor that fails',
      type: 'test',
      enabled: true,
      options: { errorRate: 1 },
    });
    return createPaymentFlow(context(), {
      name: 'Cascade',
      strategy: 'cascade',
      processors: [{ processorId: failing, weight: 1 }],
      fallbacks: items.map(({ id: processorId }, order) => ({ processorId, order })),
      maxRetries: 1,
      sticky: false,
      threeDs: 'automatic',
    });
  });
  for (const [index, cardNumber] of cards.entries()) {
    const moment = new Date(now.getTime() - (cards.length - index) * 9 * dayMs + index * hourMs);
    await at(moment, async () => {
      const { id: customerId } = await createCustomer(context(), { storeId, email: `cascade${index + 1}@example.com` });
      const { token } = await tokenizeCard(context(), {
        storeId,
        cardNumber,
        expMonth: 12,
        expYear: moment.getUTCFullYear() + 4,
        cvc: '123',
      });
      const { paymentInstrument } = await createPaymentInstrument(context(), { storeId, token, customerId });
      await processPayment(context(), {
        storeId,
        paymentInstrumentId: paymentInstrument.id,
        amount: 1_990 + index * 1_000,
        currency,
        mode: 'purchase',
        initiatedBy: 'customer',
        paymentFlowId,
      });
    });
  }
}
