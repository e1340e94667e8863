/** What is read of the file `demo.json`. */
export interface Demo {
  baseUrl: string;
  accounts: { test: { subKey: string } };
}

/**
 * Makes what the demo has none of, so that its screen shows something: a test clock with a subscription that it charged.
 * Nothing is made twice.
 */
export async function makeScreenData({ baseUrl, accounts }: Demo): Promise<void> {
  const call = async (path: string, body?: object): Promise<Record<string, unknown>> => {
    const response = await fetch(`${baseUrl}/api/public/v1${path}`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${accounts.test.subKey}`, 'Content-Type': 'application/json' },
      body: JSON.stringify(body ?? {}),
    });
    const answer = (await response.json()) as Record<string, unknown>;
    if (!response.ok) throw new Error(`${path}: ${JSON.stringify(answer)}`);
    return answer;
  };
  if ((await call('/test-clocks/list'))['total'] !== 0) return;
  const { id: testClockId } = await call('/test-clocks/create', {
    name: 'A year of renewals',
    now: new Date().toISOString(),
  });
  const email = 'renewed@example.com';
  const { id: customerId } = await call('/customers/create', { email, testClockId });
  const { token } = await call('/payment-instruments/tokenize', {
    cardNumber: '4242424242424242',
    expMonth: 12,
    expYear: 2039,
    cvc: '123',
  });
  const { paymentInstrument } = await call('/payment-instruments/create-from-token', {
    token,
    customerData: { email },
  });
  const { prices } = await call('/products/create', {
    name: 'Tea club',
    prices: [{ currency: 'USD', amount: 1900, interval: 'month' }],
  });
  const [{ id: priceId }] = prices as [{ id: string }];
  const { id: paymentInstrumentId } = paymentInstrument as { id: string };
  await call('/subscriptions/create', { customerId, paymentInstrumentId, priceId });
  await call(`/test-clocks/${String(testClockId)}/advance`, {
    to: new Date(Date.now() + 70 * 86_400_000).toISOString(),
  });
}
