import { createCustomer } from '../../src/domains/customers/change-customer.ts';
import { createPaymentInstrument } from '../../src/domains/instruments/create-payment-instrument.ts';
import { presentNumber } from '../../src/domains/instruments/number-guard.ts';
import { processPayment } from '../../src/domains/payments/charge/process-payment.ts';
import { refundPayment } from '../../src/domains/payments/modification/refund-payment.ts';
import { createWebhookEndpoint, updateWebhookEndpoint } from '../../src/domains/webhooks/endpoints/change-endpoint.ts';
import { RateLimited } from '../../src/lib/errors.ts';
import { eventTypes } from '../../src/registry.ts';
import type { Services } from '../../src/services.ts';
import { demoNames } from '../../src/settings/demo-credentials.ts';
import { type ReceiverKind, receiverUrl } from '../../src/settings/demo-receivers.ts';
import { personOf } from './names.ts';
import { contextOf, type Shop } from './tenants.ts';

const ofPayments = eventTypes.filter((type) => type.startsWith('payment/'));

interface DemoEndpoint {
  kind: ReceiverKind;
  description: string;
  eventTypes: string[];
  ordered?: boolean;
}

/** One for each state that a delivery and an endpoint may have. */
const endpoints: readonly DemoEndpoint[] = [
  { kind: 'accepts', description: demoNames.endpoint, eventTypes: ofPayments },
  { kind: 'accepts', description: 'Data warehouse: everything, in order', eventTypes: [...eventTypes], ordered: true },
  { kind: 'fails', description: 'Accounting: answers 500', eventTypes: ['payment/succeeded'] },
  { kind: 'late', description: 'Stock: answers too late', eventTypes: ['payment/refunded'] },
  { kind: 'gone', description: 'Old shop: answers 410', eventTypes: ['customer/created'] },
];

/** The charges of the last half hour, whose events are delivered once the server is up. */
const amounts = [1_450, 2_290, 890, 3_400, 1_275, 4_990];

/**
 * Webhook endpoints at the receivers of this server, and events for them: the demo sends no data to other hosts. On a
 * server that has no such receivers, they are disabled.
 */
export async function addWebhooks(services: Services, { key, storeId, currency }: Shop): Promise<void> {
  const { publicUrl, isLocal } = services.config;
  const context = () => contextOf(services, key);
  const made = [];
  for (const { kind, ...endpoint } of endpoints) {
    const { id } = await createWebhookEndpoint(context(), {
      url: receiverUrl(publicUrl, kind),
      ordered: false,
      ...endpoint,
    });
    made.push(id);
  }
  for (const [index, amount] of amounts.entries()) {
    const { id: customerId } = await createCustomer(context(), { storeId, ...personOf(136 - index) });
    const { paymentInstrument } = await createPaymentInstrument(context(), { storeId, token: 'tok_visa', customerId });
    const { payment } = await processPayment(context(), {
      storeId,
      paymentInstrumentId: paymentInstrument.id,
      amount,
      currency,
      mode: 'purchase',
      initiatedBy: 'customer',
      threeDs: 'automatic',
    });
    if (index === 0) await refundPayment(context(), { paymentId: payment.id });
  }
  if (!isLocal) for (const id of made) await updateWebhookEndpoint(context(), id, { enabled: false });
}

/** More numbers with the same visible digits than an account may present in a day, as a card tester does. */
export async function testCards(services: Services, { key }: Shop): Promise<void> {
  const context = contextOf(services, key);
  const { platformAccountId, partnerId, mode } = key.tenant;
  if (platformAccountId === undefined) throw new Error('The shop has an account.');
  try {
    for (let guess = 0; guess <= 30; guess++)
      await presentNumber(
        context,
        { platformAccountId, partnerId, mode },
        { bin: '40000000', last4: '1000', fingerprint: `guess ${guess}` },
      );
  } catch (error) {
    if (!(error instanceof RateLimited)) throw error;
  }
}
