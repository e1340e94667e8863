import { describe, expect, test } from 'vitest';
import { paymentWorld } from './payment-world.ts';

const world = paymentWorld();
const { clock, eventsOf, stateOf } = world;

describe('10 payments: every test card', () => {
  test.each([
    ['4242424242424242', 'succeeded', 'captured', null, 'succeeded'],
    ['5555555555554444', 'succeeded', 'captured', null, 'succeeded'],
    ['378282246310005', 'succeeded', 'captured', null, 'succeeded'],
    ['4000000000003063', 'succeeded', 'captured', null, 'succeeded'],
    ['4000000000000341', 'succeeded', 'captured', null, 'succeeded'],
    ['4000000000000697', 'succeeded', 'captured', null, 'succeeded'],
    ['4111111111111111', 'succeeded', 'captured', null, 'succeeded'],
    ['4000000000000002', 'declined', null, 'card_declined', 'declined'],
    ['4000000000009995', 'declined', null, 'insufficient_funds', 'declined'],
    ['4000000000009987', 'declined', null, 'lost_card', 'declined'],
    ['4000000000000069', 'declined', null, 'expired_card', 'declined'],
    ['4000000000000127', 'declined', null, 'incorrect_cvc', 'declined'],
    ['4000000000000119', 'failed', 'processing_error', 'processing_error', 'failed'],
    ['4000000000003220', 'pending', 'requires_action', null, 'requires_action'],
    ['4000002760003184', 'pending', 'requires_action', null, 'requires_action'],
    ['4000008400001629', 'pending', 'requires_action', null, 'requires_action'],
    ['4000000000006975', 'pending', 'processing', null, 'processing'],
    ['tok_visa', 'succeeded', 'captured', null, 'succeeded'],
    ['tok_mastercard', 'succeeded', 'captured', null, 'succeeded'],
    ['tok_amex', 'succeeded', 'captured', null, 'succeeded'],
    ['tok_visa_declined', 'declined', null, 'card_declined', 'declined'],
    ['tok_visa_insufficient', 'declined', null, 'insufficient_funds', 'declined'],
    ['tok_visa_3ds', 'pending', 'requires_action', null, 'requires_action'],
  ])('%s: %s/%s %s', async (card, ...state) => {
    const charged = await world.account.charge(card);
    expect(stateOf(charged)).toEqual(state);
    const outcome = {
      succeeded: 'payment/succeeded',
      declined: 'payment/rejected',
      failed: 'payment/failed',
      pending: state[1] === 'requires_action' ? 'payment/actionRequired' : undefined,
    }[state[0] as string];
    expect(await eventsOf(charged.payment['id'])).toEqual(['payment/created', ...(outcome ? [outcome] : [])]);
    expect(charged.payment['capturedAmount']).toBe(state[0] === 'succeeded' ? 2500 : 0);
    expect(await world.account.api.ok(`/payments/${charged.payment['id']}`)).toEqual(charged);
  });

  test('returns the whole answer of a charge', async () => {
    const { payment, transactions } = await world.account.charge('tok_visa', { metadata: { order: 7 } });
    const id = (prefix: string) => expect.stringMatching(new RegExp(`^${prefix}_`));
    expect(payment).toEqual({
      id: id('pay'),
      storeId: world.account.storeId,
      platformAccountId: world.account.id,
      customerId: id('cus'),
      paymentInstrumentId: id('pi'),
      orderId: null,
      subscriptionId: null,
      amount: 2500,
      currency: 'USD',
      capturedAmount: 2500,
      refundedAmount: 0,
      status: 'succeeded',
      subStatus: 'captured',
      failureCode: null,
      failureMessage: null,
      requireAction: null,
      requireActionData: null,
      processorId: id('proc'),
      metadata: { order: 7 },
      livemode: false,
      createdAt: clock.now().toISOString(),
      updatedAt: clock.now().toISOString(),
    });
    expect(transactions).toEqual([
      {
        id: id('txn'),
        type: 'purchase',
        status: 'succeeded',
        amount: 2500,
        currency: 'USD',
        processorId: payment['processorId'],
        processorReference: expect.any(String),
        failureCode: null,
        createdAt: clock.now().toISOString(),
      },
    ]);
  });

  test('a merchant-initiated charge of …0341 is declined, the first one approved', async () => {
    const first = await world.account.charge('4000000000000341');
    const { payment } = await world.account.api.ok('/payments/process', {
      paymentInstrumentId: first.payment['paymentInstrumentId'],
      amount: 100,
      currency: 'USD',
      initiatedBy: 'merchant',
      reasonType: 'recurring',
    });
    expect([first.payment['status'], payment.status]).toEqual(['succeeded', 'declined']);
  });
});

describe('10 payments: the list', () => {
  test('each filter of the list', async () => {
    const shop = await world.partner.account();
    await shop.api.ok('/stores/create', { name: 'Euro', chargeCurrencies: ['EUR'], baseCurrency: 'EUR' });
    const charge = async (card: string, more: object) =>
      (await shop.charge(card, { storeId: shop.storeId, ...more })).payment;
    const small = await charge('tok_visa', { amount: 100 });
    clock.advance(86_400_000);
    const large = await charge('378282246310005', { amount: 900 });
    const declined = await charge('tok_visa_declined', { amount: 500 });
    const ids = async (filters: object) =>
      (await shop.api.ok('/payments', { filters })).items.map((item: { id: string }) => item.id).sort();
    const email = (await shop.api.ok(`/customers/${small['customerId']}`)).email;
    const named = (...payments: Record<string, unknown>[]) => payments.map(({ id }) => id).sort();
    expect(await ids({ status: ['declined'] })).toEqual(named(declined));
    expect(await ids({ status: ['declined', 'succeeded'] })).toEqual(named(small, large, declined));
    expect(await ids({ currency: ['EUR'] })).toEqual([]);
    expect(await ids({ currency: ['USD'], amount: { min: 500 } })).toEqual(named(large, declined));
    expect(await ids({ amount: { min: 101, max: 899 } })).toEqual(named(declined));
    expect(await ids({ amount: { max: 100 } })).toEqual(named(small));
    expect(await ids({ customerId: small['customerId'] })).toEqual(named(small));
    expect(await ids({ processorId: [small['processorId']] })).toEqual(named(small, large, declined));
    expect(await ids({ customerEmail: { condition: 'is', value: email.toUpperCase() } })).toEqual(named(small));
    expect(await ids({ cardLast4: { condition: 'is', value: '0005' } })).toEqual(named(large));
    expect(
      await ids({ createdAt: { condition: 'is-equal-date', value: [String(small['createdAt']).slice(0, 10)] } }),
    ).toEqual(named(small));
    expect(await ids({ storeId: [shop.storeId] })).toEqual(named(small, large, declined));
    expect(await ids({ orderId: 'ord_0000000000000000' })).toEqual([]);
    expect(await ids({ subscriptionId: 'sub_0000000000000000' })).toEqual([]);
    expect(
      (await shop.api.ok('/payments', { sortBy: { field: 'amount', direction: 'asc' } })).items.map(
        (item: { amount: number }) => item.amount,
      ),
    ).toEqual([100, 500, 900]);
    expect(
      (await shop.api.ok('/payments', { sortBy: { field: 'status', direction: 'asc' } })).items.map(
        (item: { status: string }) => item.status,
      ),
    ).toEqual(['declined', 'succeeded', 'succeeded']);
  });
});
