import { describe, expect, test } from 'vitest';
import { manualClock } from '../../../src/lib/clock.ts';
import { usePlatform } from '../../support/platform.ts';
import { disableRateLimits } from '../../support/rates.ts';
import { type SeededAccount, seedPartner } from '../../support/seed.ts';

const clock = manualClock(new Date('2030-05-15T10:00:00.000Z'));

const platform = await usePlatform({ clock });
await disableRateLimits(platform);
const partner = await seedPartner(platform);
const account = await partner.account();
const live = await (await seedPartner(platform, 'live', partner.id)).account();

let count = 0;
const email = (): string => `person${++count}@example.com`;
const good = { cardNumber: '4242424242424242', expMonth: 12, expYear: 2034, cvc: '123' };
const tokenize = (card: object = {}, by = account) =>
  by.api.call('/payment-instruments/tokenize', { ...good, ...card });
const tokenOf = async (by = account, cardNumber = good.cardNumber): Promise<string> =>
  (await by.api.ok('/payment-instruments/tokenize', { ...good, cardNumber })).token;
const create = (body: object, by = account) => by.api.call('/payment-instruments/create-from-token', body);
const eventsOf = async (id: string) =>
  (
    await platform.services.pool.query('SELECT type FROM events WHERE "objectId" = $1 ORDER BY sequence', [id])
  ).rows.map(({ type }) => type);

describe('11 tokenize', () => {
  test('returns the whole answer', async () => {
    const answer = await account.api.ok('/payment-instruments/tokenize', { ...good, cardholderName: 'Ada' });
    expect(answer).toEqual({
      token: expect.stringMatching(/^tok_/),
      card: {
        brand: 'visa',
        last4: '4242',
        bin: '42424242',
        expMonth: 12,
        expYear: 2034,
        funding: 'credit',
        fingerprint: expect.any(String),
      },
      expiresAt: '2030-05-15T10:30:00.000Z',
    });
  });

  test.each([
    ['cardNumber', { cardNumber: '4242424242424241' }],
    ['cardNumber', { cardNumber: '42424242424' }],
    ['cardNumber', { cardNumber: '42424242424242424242' }],
    ['cardNumber', { cardNumber: 'four' }],
    ['cardNumber', { cardNumber: 4242424242424242 }],
    ['cardNumber', { cardNumber: null }],
    ['expMonth', { expMonth: 0 }],
    ['expMonth', { expMonth: 13 }],
    ['expMonth', { expMonth: '12' }],
    ['expMonth', { expMonth: 4, expYear: 2030 }],
    ['expYear', { expYear: 2029 }],
    ['expYear', { expYear: 34 }],
    ['expYear', { expYear: 2051 }],
    ['cvc', { cvc: '12' }],
    ['cvc', { cvc: '1234' }],
    ['cvc', { cvc: 'abc' }],
    ['cvc', { cvc: 123 }],
    ['cvc', { cardNumber: '378282246310005', cvc: '123' }],
    ['cardholderName', { cardholderName: 'x'.repeat(101) }],
  ])('400 naming %s for %j', async (path, card) => {
    const { status, body } = await tokenize(card);
    expect([status, body.data?.issues.map((issue: { path: string }) => issue.path)]).toEqual([400, [path]]);
  });

  test('a card is valid through the last day of its month', async () => {
    expect((await tokenize({ expMonth: 5, expYear: 2030 })).status).toBe(200);
    clock.set(new Date('2030-05-31T23:59:59.999Z'));
    expect((await tokenize({ expMonth: 5, expYear: 2030 })).status).toBe(200);
    clock.set(new Date('2030-06-01T00:00:00.000Z'));
    expect((await tokenize({ expMonth: 5, expYear: 2030 })).status).toBe(400);
  });

  test('400 names every wrong field at once', async () => {
    const { body } = await tokenize({ cardNumber: '4242424242424241', expMonth: 13, expYear: 1999, cvc: '1' });
    expect(body.data.issues.map((issue: { path: string }) => issue.path)).toEqual([
      'cardNumber',
      'expMonth',
      'expYear',
      'cvc',
    ]);
  });

  test.each([
    ['4242 4242 4242 4242', 'visa', '42424242'],
    ['5555555555554444', 'mastercard', '55555555'],
    ['378282246310005', 'amex', '378282'],
    ['6011111111111117', 'discover', '60111111'],
    ['3566002020360505', 'jcb', '35660020'],
    ['6205500000000000004', 'unionpay', '62055000'],
    ['36227206271667', 'diners', '362272'],
  ])('%s is %s, bin %s', async (cardNumber, brand, bin) => {
    const { body } = await tokenize({ cardNumber, cvc: brand === 'amex' ? '1234' : '123' });
    expect([body.card?.brand, body.card?.bin, body.card?.last4]).toEqual([brand, bin, cardNumber.slice(-4)]);
  });

  test('the fingerprint is equal for a number within an account, and differs by account and mode', async () => {
    const print = async (by: SeededAccount, cardNumber: string) =>
      (await tokenize({ cardNumber }, by)).body.card.fingerprint;
    const other = await partner.account();
    expect(await print(account, '4111111111111111')).toBe(await print(account, '4111 1111 1111 1111'));
    expect(
      new Set([
        await print(account, '4111111111111111'),
        await print(other, '4111111111111111'),
        await print(live, '4111111111111111'),
      ]).size,
    ).toBe(3);
  });

  test.each([
    '4242424242424242',
    '4000000000000002',
    '4000000000003220',
    '4000000000006975',
  ])('400 for the test number %s in live mode', async (cardNumber) => {
    const { status, body } = await tokenize({ cardNumber }, live);
    expect([status, body.data.issues[0].path]).toEqual([400, 'cardNumber']);
  });

  test('with a partner key storeId is required', async () => {
    const without = await partner.api.call('/payment-instruments/tokenize', good);
    expect([without.status, without.body.data.issues[0].path]).toEqual([400, 'storeId']);
    await partner.api.ok('/payment-instruments/tokenize', { ...good, storeId: account.storeId });
    const createWithout = await partner.api.call('/payment-instruments/create-from-token', {
      token: 'tok_visa',
      customerData: { email: email() },
    });
    expect([createWithout.status, createWithout.body.data.issues[0].path]).toEqual([400, 'storeId']);
  });
});

describe('11 create-from-token', () => {
  test('returns the whole answer, with one event each for instrument and customer', async () => {
    const address = email();
    const { body } = await create({ token: await tokenOf(), customerData: { email: address, firstName: 'Ada' } });
    expect(body.paymentInstrument).toEqual({
      id: expect.stringMatching(/^pi_/),
      type: 'card',
      customerId: body.customer.id,
      storeId: account.storeId,
      platformAccountId: account.id,
      isActive: true,
      isDefault: true,
      card: expect.objectContaining({ last4: '4242' }),
      livemode: false,
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    });
    expect(body.customer).toMatchObject({ email: address, firstName: 'Ada', paymentInstrumentCardLast4: '4242' });
    expect(await eventsOf(body.paymentInstrument.id)).toEqual(['paymentInstrument/created']);
    expect(await eventsOf(body.customer.id)).toEqual(['customer/created', 'customer/updated']);
  });

  test('409 for a used token; of many calls at once one succeeds', async () => {
    const token = await tokenOf();
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => create({ token, customerData: { email: email() } })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409]);
  });

  test('404 for a token from its expiry on', async () => {
    const [one, two] = [await tokenOf(), await tokenOf()];
    clock.advance(30 * 60_000 - 1);
    expect((await create({ token: one, customerData: { email: email() } })).status).toBe(200);
    clock.advance(1);
    expect((await create({ token: two, customerData: { email: email() } })).status).toBe(404);
  });

  test('404 for a token of another account or mode, which stays usable for its own', async () => {
    const other = await partner.account();
    const token = await tokenOf(other);
    const ofLive = await tokenOf(live, '4111111111111111');
    for (const foreign of [token, ofLive, 'tok_0000000000000000000000', 'tok_nothing'])
      expect((await create({ token: foreign, customerData: { email: email() } })).status, foreign).toBe(404);
    expect((await create({ token, customerData: { email: email() } }, other)).status).toBe(200);
  });

  test.each([
    [{}],
    [{ customerId: 'cus_1', customerData: { email: 'a@b.example' } }],
    [{ customerId: null, customerData: null }],
  ])('400 unless exactly one of customerId and customerData is given: %j', async (who) => {
    expect((await create({ token: 'tok_visa', ...who })).status).toBe(400);
  });

  test('400 naming the field inside customerData', async () => {
    const { status, body } = await create({
      token: 'tok_visa',
      customerData: { email: 'x', billingAddress: { country: 'xx' } },
    });
    expect([status, body.data.issues.map((issue: { path: string }) => issue.path).sort()]).toEqual([
      400,
      ['customerData.billingAddress.country', 'customerData.email'],
    ]);
  });

  test('404 for a customer of another account; a rejected call does not use up the token', async () => {
    const { customerId } = await (await partner.account()).instrument();
    const token = await tokenOf();
    expect((await create({ token, customerId })).status).toBe(404);
    expect((await create({ token, customerData: { email: email() } })).status).toBe(200);
  });

  test('the email of an existing customer selects that customer, in any case', async () => {
    const address = email();
    const first = (await create({ token: 'tok_visa', customerData: { email: address } })).body;
    const second = (
      await create({ token: 'tok_visa', customerData: { email: address.toUpperCase(), firstName: 'Other' } })
    ).body;
    expect([second.customer.id, second.customer.email, second.customer.firstName]).toEqual([
      first.customer.id,
      address,
      null,
    ]);
  });

  test.each([
    'tok_visa',
    'tok_mastercard',
    'tok_amex',
    'tok_visa_declined',
    'tok_visa_insufficient',
    'tok_visa_3ds',
  ])('%s can be reused in test mode and is 404 in live mode', async (token) => {
    for (let n = 0; n < 2; n++) expect((await create({ token, customerData: { email: email() } })).status).toBe(200);
    expect((await create({ token, customerData: { email: email() } }, live)).status).toBe(404);
  });
});

describe('11 instruments of a customer', () => {
  const state = async (customerId: string) =>
    (
      await account.api.ok('/payment-instruments/list', {
        filters: { customerId },
        sortBy: { field: 'createdAt', direction: 'asc' },
      })
    ).items.map((item: { isActive: boolean; isDefault: boolean }) => [item.isActive, item.isDefault]);
  const last4 = async (customerId: string) =>
    (await account.api.ok(`/customers/${customerId}`)).paymentInstrumentCardLast4;

  test('the first is the default; set-default changes it; delete clears it', async () => {
    const { id: first, customerId } = await account.instrument();
    clock.advance(1);
    const second = (await create({ token: 'tok_mastercard', customerId })).body.paymentInstrument.id;
    expect([await state(customerId), await last4(customerId)]).toEqual([
      [
        [true, true],
        [true, false],
      ],
      '4242',
    ]);
    expect(await account.api.ok(`/payment-instruments/${second}/set-default`, {})).toMatchObject({
      id: second,
      isDefault: true,
    });
    expect([await state(customerId), await last4(customerId)]).toEqual([
      [
        [true, false],
        [true, true],
      ],
      '4444',
    ]);
    expect(await account.api.ok(`/payment-instruments/${second}`, undefined, { method: 'DELETE' })).toEqual({
      id: second,
      deleted: true,
    });
    expect([await state(customerId), await last4(customerId)]).toEqual([
      [
        [true, false],
        [false, false],
      ],
      null,
    ]);
    expect((await account.api.call(`/payment-instruments/${second}/set-default`, {})).status).toBe(409);
    expect(
      (await account.api.ok('/payment-instruments/list', { filters: { customerId, isActive: true } })).items.map(
        ({ id }: { id: string }) => id,
      ),
    ).toEqual([first]);
    expect(
      (await account.api.ok('/payment-instruments/list', { filters: { customerId, isActive: false } })).items.map(
        ({ id }: { id: string }) => id,
      ),
    ).toEqual([second]);
  });

  test('deleting a second time is 200, with one event in all', async () => {
    const { id } = await account.instrument();
    for (let n = 0; n < 2; n++)
      expect(await account.api.ok(`/payment-instruments/${id}`, undefined, { method: 'DELETE' })).toEqual({
        id,
        deleted: true,
      });
    expect(await eventsOf(id)).toEqual(['paymentInstrument/created', 'paymentInstrument/deleted']);
    expect((await account.api.ok(`/payment-instruments/${id}`)).isActive).toBe(false);
  });

  test('many set as default at once leave one default', async () => {
    const { id, customerId } = await account.instrument();
    const others = await Promise.all(
      [1, 2, 3, 4].map(async () => (await create({ token: 'tok_visa', customerId })).body.paymentInstrument.id),
    );
    await Promise.all([id, ...others].map((each) => account.api.ok(`/payment-instruments/${each}/set-default`, {})));
    expect((await state(customerId)).filter(([, isDefault]: boolean[]) => isDefault)).toHaveLength(1);
  });

  test('404 to get, delete or set as default one of another account or mode', async () => {
    const ofLive = await live.instrument('4111111111111111');
    const sibling = await (await partner.account()).instrument();
    for (const { id } of [ofLive, sibling, { id: 'pi_0000000000000000000000' }]) {
      expect((await account.api.call(`/payment-instruments/${id}`)).status).toBe(404);
      expect((await account.api.call(`/payment-instruments/${id}`, undefined, { method: 'DELETE' })).status).toBe(404);
      expect((await account.api.call(`/payment-instruments/${id}/set-default`, {})).status).toBe(404);
    }
    expect((await live.api.ok(`/payment-instruments/${ofLive.id}`)).isActive).toBe(true);
  });
});
