import { ConnectionError, NotFoundError, Platform, WebhookSignatureError, webhooks } from '@partner-payments/sdk';

/**
 * What a server does with the SDK, by what every runtime has: no part of Node. Each line is what it saw.
 * @param {{ PARTNER_KEY: string, PLATFORM_URL: string }} env
 * @returns {Promise<string[]>}
 */
export async function smoke({ PARTNER_KEY, PLATFORM_URL: baseUrl }) {
  const seen = [];
  const platform = Platform.test(PARTNER_KEY, { baseUrl });
  const account = await platform.accounts.create({ legalName: 'Corner Shop' });
  const shop = platform.as(await platform.apiKeys.create(account, { label: 'server' }));
  const { token } = await shop.paymentInstruments.tokenize({
    cardNumber: '4242424242424242',
    expMonth: 12,
    expYear: 2035,
    cvc: '123',
  });
  const { paymentInstrument } = await shop.paymentInstruments.createFromToken({
    token,
    customerData: { email: 'ada@example.com' },
  });
  const charge = { paymentInstrumentId: paymentInstrument, amount: 2500, currency: 'USD' };
  const first = await shop.payments.process(charge, { idempotencyKey: 'order-1001' }).withResponse();
  const again = await shop.payments.process(charge, { idempotencyKey: 'order-1001' }).withResponse();
  seen.push(`charged ${first.data.payment.capturedAmount}, replayed ${first.replayed} ${again.replayed}`);
  const { payment } = await shop.payments.refund({ paymentId: first.data.payment, amount: 500 });
  seen.push(`refunded ${payment.refundedAmount}`);
  for await (const one of shop.payments.list({ pageSize: 1 })) seen.push(`listed ${one.status}`);

  const [event] = await shop.events.list({ filters: { type: ['payment/succeeded'] } }).toArray({ limit: 1 });
  const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
  const { body, headers } = webhooks.sign(event, secret);
  seen.push(`received ${webhooks.unwrap(body, new Headers(headers), [secret]).type}`);
  const refusals = [
    () => webhooks.unwrap(`${body} `, headers, [secret]),
    () => shop.payments.get('pay_none'),
    () => Platform.test(PARTNER_KEY, { baseUrl: 'http://127.0.0.1:1', maxRetries: 0 }).accounts.list(),
  ];
  for (const refused of refusals)
    try {
      await refused();
      seen.push('not refused');
    } catch (error) {
      const kinds = { WebhookSignatureError, NotFoundError, ConnectionError };
      seen.push(`refused ${Object.keys(kinds).find((name) => error instanceof kinds[name])}`);
    }
  return seen;
}
