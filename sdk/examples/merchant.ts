// A merchant: stores a card, charges it, holds and captures, refunds, and reads back what happened.
// SUB_KEY=tp_sk_test_… PLATFORM_URL=http://localhost:4000 node merchant.ts
import { ConflictError, Platform } from '@partner-payments/sdk';

const { SUB_KEY = '', PLATFORM_URL: baseUrl = 'http://localhost:4000' } = process.env;
const shop = Platform.test(SUB_KEY, { baseUrl });

// A page takes the number with card fields and sends the token; a test may send the number of a test card.
const { token } = await shop.paymentInstruments.tokenize({
  cardNumber: '4242424242424242',
  expMonth: 12,
  expYear: 2035,
  cvc: '123',
});
const { paymentInstrument, customer } = await shop.paymentInstruments.createFromToken({
  token,
  customerData: { email: 'ada@example.com', firstName: 'Ada' },
});

// The key makes the charge idempotent: however often it is sent, the order is paid once.
const order = await shop.orders.create({
  customerId: customer,
  currency: 'USD',
  items: [{ name: 'Mug', quantity: 2, unitAmount: 1250 }],
});
const charge = { paymentInstrumentId: paymentInstrument, orderId: order, amount: order.amount, currency: 'USD' };
const { payment } = await shop.payments.process(charge, { idempotencyKey: `charge-${order.id}` });
if (payment.status === 'declined') throw new Error(`Declined: ${payment.failureCode}`); // an answer, no error
const again = await shop.payments.process(charge, { idempotencyKey: `charge-${order.id}` }).withResponse();
console.log('charged', payment.amount, 'again:', again.replayed ? 'the stored answer' : 'a second charge');

// A hold is captured later, in part.
const hold = { paymentInstrumentId: paymentInstrument, amount: 5000, currency: 'USD', mode: 'auth' } as const;
const held = await shop.payments.process(hold);
const captured = await shop.payments.capture({ paymentId: held.payment, amount: 3000 });
console.log('captured', captured.payment.capturedAmount, 'of', captured.payment.amount);

// A hold is captured once. A state that forbids something is a 409 with a reason, and is not repeated.
try {
  await shop.payments.capture({ paymentId: held.payment });
} catch (error) {
  if (!(error instanceof ConflictError)) throw error;
  console.log('refused:', error.reason);
}

await shop.payments.refund({ paymentId: payment, amount: 1250, reason: 'one came back' });

for await (const one of shop.payments.list({ filters: { customerId: customer.id } }))
  console.log(one.status, one.capturedAmount - one.refundedAmount, one.currency);
