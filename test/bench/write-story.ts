import { runDueSubscriptions } from '../../src/domains/subscriptions/periods/run-subscription.ts';
import { deliverWebhooks } from '../../src/domains/webhooks/deliveries/jobs.ts';
import type { manualClock } from '../../src/lib/clock.ts';
import type { Services } from '../../src/services.ts';
import type { Client } from '../support/client.ts';

interface Setting {
  services: Services;
  clock: ReturnType<typeof manualClock>;
  /** A client with the sub-key of an account that may charge. */
  api: Client;
  storeId: string;
  receiverUrl: string;
}

const periodMs = 31 * 86_400_000;
let calls = 0;

/**
 * Makes a card, an endpoint and a subscription, and gives what sends every statement of a charge, a refund, a capture,
 * a void, a renewal and a delivery once or more.
 */
export async function beginWriteStory({
  services,
  clock,
  api,
  storeId,
  receiverUrl,
}: Setting): Promise<() => Promise<void>> {
  await api.ok('/webhooks', { url: receiverUrl, eventTypes: ['payment/created', 'payment/succeeded'] });
  const { paymentInstrument } = await api.ok('/payment-instruments/create-from-token', {
    storeId,
    token: 'tok_visa',
    customerData: { email: 'story@example.com' },
  });
  const { prices } = await api.ok('/products/create', {
    storeId,
    name: 'Tea',
    prices: [{ currency: 'USD', amount: 1000, interval: 'month' }],
  });
  await api.ok('/subscriptions/create', { customerId: paymentInstrument.customerId, priceId: prices[0].id });
  const charge = async (more: object = {}): Promise<string> => {
    const { payment } = await api.ok(
      '/payments/process',
      { paymentInstrumentId: paymentInstrument.id, amount: 2500, currency: 'USD', ...more },
      { headers: { 'Idempotency-Key': `story-${calls++}` } },
    );
    return payment.id;
  };
  return async () => {
    await api.ok('/payments/refund', { paymentId: await charge(), amount: 500 });
    await api.ok('/payments/capture', { paymentId: await charge({ mode: 'auth' }) });
    await api.ok('/payments/void', { paymentId: await charge({ mode: 'auth' }) });
    clock.advance(periodMs);
    await runDueSubscriptions(services);
    await deliverWebhooks(services);
  };
}
