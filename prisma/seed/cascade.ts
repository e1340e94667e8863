import { createCustomer } from '../../src/domains/customers/change-customer.ts';
import { createPaymentInstrument } from '../../src/domains/instruments/create-payment-instrument.ts';
import { tokenizeCard } from '../../src/domains/instruments/tokenize-card.ts';
import { processPayment } from '../../src/domains/payments/charge/process-payment.ts';
import { createProcessor } from '../../src/domains/processors/change-processor.ts';
import { createPaymentFlow } from '../../src/domains/processors/flows/change-flow.ts';
import { processors } from '../../src/domains/processors/types.ts';
import type { TravelingClock } from '../../src/lib/clock.ts';
import type { Services } from '../../src/services.ts';
import { demoNames } from '../../src/settings/demo-credentials.ts';
import { personOf } from './names.ts';
import { contextOf, type Shop } from './tenants.ts';

const dayMs = 86_400_000;
const hourMs = 3_600_000;
/** The first processor of the flow always fails: the second approves every approved charge. */
const cards = [
  '4242424242424242',
  '4000000000009995',
  '5555555555554444',
  '4000000000000119',
  '4242424242424242',
  '4000000000009987',
];

/**
 * A second test processor, which fails; a cascade from it to the first, with a few charges of different outcomes; and a
 * processor of the type `stripe` without a key, to be connected.
 */
export async function addCascade(
  services: Services,
  at: TravelingClock['at'],
  { key, storeId, currency }: Shop,
  now: Date,
): Promise<void> {
  const context = () => contextOf(services, key);
  // Created after the account's first processor, which is used for charges that name no flow.
  const { id: paymentFlowId } = await at(new Date(now.getTime() - 60 * dayMs), async () => {
    const { items } = await processors.read(context(), key.tenant, { filters: { type: ['test'] } });
    await createProcessor(context(), { name: 'Stripe, not connected yet', type: 'stripe', enabled: true });
    const { id: failing } = await createProcessor(context(), {
      name: 'Processor that fails',
      type: 'test',
      enabled: true,
      options: { errorRate: 1 },
    });
    return createPaymentFlow(context(), {
      name: demoNames.flow,
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
      const { id: customerId } = await createCustomer(context(), {
        storeId,
        ...personOf(142 - index), // the last names: no other customer of the shop has them
      });
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
