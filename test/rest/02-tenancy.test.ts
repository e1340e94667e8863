import { describe, expect, test } from 'vitest';
import { usePlatform } from '../support/platform.ts';
import { seedPartner } from '../support/seed.ts';

const platform = await usePlatform();
const partner = await seedPartner(platform);
const live = await seedPartner(platform, 'live', partner.id);
const account = await partner.account();
const liveAccount = await live.account();

describe('2 tenancy, modes, ids', () => {
  test('every id is its prefix and 22 characters of [0-9A-Za-z]', async () => {
    const { payment, transactions } = await account.charge();
    const token = await account.api.ok('/payment-instruments/tokenize', {
      cardNumber: '4242424242424242',
      expMonth: 12,
      expYear: 2039,
      cvc: '123',
    });
    const key = await partner.api.ok(`/accounts/${account.id}/api-keys`, { label: 'ids' });
    const { organizationAccountId } = await partner.api.ok(`/accounts/${account.id}`);
    const ids = {
      par_: partner.id,
      acc_: organizationAccountId,
      tpa_: account.id,
      store_: account.storeId,
      ak_: key.id,
      cus_: payment['customerId'],
      pi_: payment['paymentInstrumentId'],
      tok_: token.token,
      pay_: payment['id'],
      txn_: transactions[0]?.['id'],
      proc_: payment['processorId'],
    };
    for (const [prefix, id] of Object.entries(ids))
      expect(id, prefix).toMatch(new RegExp(`^${prefix}[0-9A-Za-z]{22}$`));
  });

  test('in the id of an event the 6 characters after the first 8 are its sequence', async () => {
    const { id } = await account.api.ok('/customers/create', { email: 'sequence@example.com' });
    for (const firstName of ['A', 'B', 'C']) await account.api.ok(`/customers/${id}`, { firstName }, { method: 'PUT' });
    const { items } = await account.api.ok('/events/list', { filters: { objectId: id } });
    const events = items.toReversed() as { id: string; sequence: number }[];
    expect(events.map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4]);
    expect(events.map((event) => /^evt_[0-9A-Za-z]{8}(\d{6})[0-9A-Za-z]{8}$/.exec(event.id)?.[1])).toEqual([
      '000001',
      '000002',
      '000003',
      '000004',
    ]);
  });

  test('ids made later sort later', async () => {
    const first = await account.api.ok('/customers/create', { email: 'sort1@example.com' });
    const moment = Date.now();
    // Ids contain the time in milliseconds.
    while (Date.now() <= moment + 1);
    const second = await account.api.ok('/customers/create', { email: 'sort2@example.com' });
    expect(second.id > first.id).toBe(true);
  });

  test('what a test key makes is of test mode, what a live key makes is live', async () => {
    expect(await partner.api.ok(`/accounts/${account.id}`)).toMatchObject({ livemode: false, status: 'active' });
    expect(await live.api.ok(`/accounts/${liveAccount.id}`)).toMatchObject({ livemode: true });
    expect(account.subKey).toMatch(/^tp_sk_test_/);
    expect(liveAccount.subKey).toMatch(/^tp_sk_live_/);
  });

  test.each([
    ['account', (id: string) => partner.api.call(`/accounts/${id}`), () => liveAccount.id],
    [
      'store in a filter',
      (id: string) => partner.api.call('/customers/list', { filters: { storeId: [id] } }),
      () => liveAccount.storeId,
    ],
    ['keys of an account', (id: string) => partner.api.call(`/accounts/${id}/api-keys/list`, {}), () => liveAccount.id],
  ])('an id of the other mode is answered exactly like an id that does not exist: %s', async (_name, ask, id) => {
    const other = await ask(id());
    const none = await ask(`${id().slice(0, -3)}zzz`);
    expect([other.status, other.body]).toEqual([none.status, none.body]);
    expect(JSON.stringify(other.body)).not.toContain('Merchant');
  });

  test('403 mode_escalation_forbidden when a body names the other mode, for accounts and for keys', async () => {
    for (const [path, body] of [
      ['/accounts', { legalName: 'X', mode: 'live' }],
      [`/accounts/${account.id}/api-keys`, { label: 'x', mode: 'live' }],
    ] as const) {
      const answer = await partner.api.call(path, body);
      expect([answer.status, answer.body.code, answer.body.data]).toEqual([
        403,
        'FORBIDDEN',
        { reason: 'mode_escalation_forbidden' },
      ]);
    }
    expect((await live.api.call('/accounts', { legalName: 'X', mode: 'test' })).body.data.reason).toBe(
      'mode_escalation_forbidden',
    );
  });

  test('naming the own mode is accepted', async () => {
    expect((await partner.api.ok('/accounts', { legalName: 'X', mode: 'test' })).livemode).toBe(false);
  });

  test.each([0, -1, 1.5, '100', 99_999_999_999 + 1, null])('400 for the amount %j, naming it', async (amount) => {
    const { id } = await account.instrument();
    const answer = await account.api.call('/payments/process', { paymentInstrumentId: id, amount, currency: 'USD' });
    expect([answer.status, answer.body.data.issues[0].path]).toEqual([400, 'amount']);
  });

  test('the largest amount is 99,999,999,999 and the smallest 1', async () => {
    expect((await account.charge('tok_visa', { amount: 99_999_999_999 })).payment['capturedAmount']).toBe(
      99_999_999_999,
    );
    expect((await account.charge('tok_visa', { amount: 1 })).payment['capturedAmount']).toBe(1);
  });

  test.each(['usd', 'ABC', 'US', 'EURO'])('400 for the currency %s, which ISO 4217 has not', async (currency) => {
    const { id } = await account.instrument();
    const answer = await account.api.call('/payments/process', { paymentInstrumentId: id, amount: 100, currency });
    expect([answer.status, answer.body.data.issues[0].path]).toEqual([400, 'currency']);
  });

  test('timestamps are ISO 8601 in UTC with milliseconds', async () => {
    const { payment } = await account.charge();
    for (const name of ['createdAt', 'updatedAt'])
      expect(payment[name]).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  });

  test('the database rejects a row that refers to another account or mode', async () => {
    const { customerId } = await liveAccount.instrument('4111111111111111');
    const tenant = await platform.services.pool.query('SELECT * FROM stores WHERE id = $1', [account.storeId]);
    const { partnerId, platformAccountId, mode } = tenant.rows[0];
    const insert = platform.services.pool.query(
      `INSERT INTO payment_instruments (
          id, "partnerId", "platformAccountId", mode, "storeId", "customerId", "cardId", brand,
          last4, bin, "expMonth", "expYear", funding, fingerprint, "createdAt", "updatedAt"
        )
        VALUES
          ('pi_x', $1, $2, $3, $4, $5, 'card_x', 'visa', '1111', '41111111', 1, 2040, 'credit', 'f', now(), now())`,
      [partnerId, platformAccountId, mode, account.storeId, customerId],
    );
    await expect(insert).rejects.toMatchObject({ code: '23503' });
  });

  test('a partner slug is never reused', async () => {
    await platform.services.pool.query(`UPDATE partners SET status = 'offboarded' WHERE id = $1`, [
      (await seedPartner(platform)).id,
    ]);
    const { rows } = await platform.services.pool.query(`SELECT slug FROM partners WHERE status = 'offboarded'`);
    await expect(
      platform.services.pool.query(
        `INSERT INTO partners (id, slug, name, "createdAt", "updatedAt") VALUES ('par_x', $1, 'x', now(), now())`,
        [rows[0].slug],
      ),
    ).rejects.toMatchObject({ code: '23505' });
  });
});
