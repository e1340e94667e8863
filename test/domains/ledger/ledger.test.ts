import { beforeAll, describe, expect, test } from 'vitest';
import { storeCheck } from '../../../src/domains/ledger/ledger-checks.ts';
import { postingsOf } from '../../../src/domains/ledger/postings.ts';
import { verifyLedger } from '../../../src/domains/ledger/verify-ledger.ts';
import { type SignedIn, signedIn } from '../../iam/people.ts';
import { asOwner } from '../../support/database.ts';
import { usePlatform } from '../../support/platform.ts';
import { seedPartner } from '../../support/seed.ts';

const platform = await usePlatform();
const partner = await seedPartner(platform);
const account = await partner.account();
const paymentId = String((await account.charge('tok_visa', { amount: 1000 })).payment['id']);
await account.api.ok('/payments/refund', { paymentId, amount: 250 });

const post = (amounts: readonly [string, number][], journalEntryId = 'txn_made_up') =>
  platform.services.pool.query(
    `INSERT INTO ledger.postings (
        "journalEntryId", account, "paymentId", "platformAccountId", "partnerId", mode, currency,
        amount, "createdAt"
      )
      SELECT $1, l.account, p.id, p."platformAccountId", p."partnerId", p.mode, p.currency, l.amount, now()
      FROM payments p, jsonb_to_recordset($2::jsonb) AS l(account text, amount bigint)
      WHERE p.id = $3`,
    [journalEntryId, JSON.stringify(amounts.map(([name, amount]) => ({ account: name, amount }))), paymentId],
  );

describe('postings of a journal entry', () => {
  const journalEntry = {
    journalEntryId: 'txn_1',
    paymentId: 'pay_1',
    platformAccountId: 'tpa_1',
    partnerId: 'par_1',
    mode: 'test',
    currency: 'USD',
    amount: 7,
  } as const;
  test.each([
    ['capture', ['processor_receivable', 'merchant_balance']],
    ['refund', ['refunds', 'processor_receivable']],
    ['dispute', ['disputes', 'processor_receivable']],
    ['foreignDispute', ['dispute_losses', 'processor_receivable']],
    ['disputeLoss', ['dispute_losses', 'disputes']],
  ] as const)('a %s sums to zero, and so does its reversal', (kind, [debit, credit]) => {
    expect(postingsOf({ kind, ...journalEntry }).map(({ account, amount }) => [account, amount])).toEqual([
      [debit, 7],
      [credit, -7],
    ]);
    expect(postingsOf({ kind, ...journalEntry, amount: -7 }).map(({ account, amount }) => [account, amount])).toEqual([
      [debit, -7],
      [credit, 7],
    ]);
  });
});

describe('the database', () => {
  test('rejects postings that do not sum to zero', () =>
    expect(
      post([
        ['processor_receivable', 5],
        ['merchant_balance', -4],
      ]),
    ).rejects.toThrow('do not sum to zero'));
  test('rejects the same journal entry a second time', async () => {
    const { rows } = await platform.services.pool.query<{ journalEntryId: string }>(
      'SELECT "journalEntryId" FROM ledger.postings LIMIT 1',
    );
    await expect(
      post(
        [
          ['processor_receivable', 5],
          ['merchant_balance', -5],
        ],
        rows[0]?.journalEntryId,
      ),
    ).rejects.toThrow('duplicate key');
  });
  test.each([
    ['UPDATE', `UPDATE ledger.postings SET amount = 2 * amount`],
    ['DELETE', 'DELETE FROM ledger.postings'],
    ['TRUNCATE', 'TRUNCATE ledger.postings'],
  ])('rejects %s of postings, to the owner of the table too', async (_what, sql) => {
    await expect(platform.services.pool.query(sql)).rejects.toThrow('permission denied');
    await expect(asOwner(platform, sql)).rejects.toThrow('never changed or removed');
  });
  test('rejects a posting of another tenant than its payment', () =>
    expect(
      platform.services.pool.query(
        `INSERT INTO ledger.postings
          SELECT 'txn_x', account, "paymentId", 'tpa_other', "partnerId", mode, currency, amount, "createdAt"
          FROM ledger.postings
          WHERE "paymentId" = $1 AND account IN ('refunds', 'merchant_balance')`,
        [paymentId],
      ),
    ).rejects.toThrow());
  test.each([
    ['more refunded than captured', `"refundedAmount" = "capturedAmount" + 1`],
    ['more reserved than is left', `"reservedAmount" = "capturedAmount"`],
    ['more captured than authorized', `"capturedAmount" = amount + 1`],
    ['a status that its amounts belie', `status = 'succeeded'`],
  ])('rejects %s', (_what, set) =>
    expect(platform.services.pool.query(`UPDATE payments SET ${set} WHERE id = $1`, [paymentId])).rejects.toThrow(
      'violates check constraint',
    ));
  test('rejects a change of what is final', async () => {
    const declined = (await account.charge('tok_visa_declined')).payment['id'];
    await expect(
      platform.services.pool.query(`UPDATE payments SET status = 'pending', "subStatus" = 'processing' WHERE id = $1`, [
        declined,
      ]),
    ).rejects.toThrow('never changes again');
  });
});

test('200: the balances of an account, which sum to zero, for its keys, its partner and internal staff; null with 403 for others', async () => {
  const query = `{ account(platformAccountId: "${account.id}") { id ledgerBalances { account currency balance } } }`;
  const accountmanager = { platformRoles: ['accountmanager'] };
  for (const { graphql } of [account.api, partner.api, await signedIn(platform, accountmanager)]) {
    const { data } = await graphql(query);
    expect(data.account.ledgerBalances).toEqual([
      { account: 'merchant_balance', currency: 'USD', balance: '-1000' },
      { account: 'processor_receivable', currency: 'USD', balance: '750' },
      { account: 'refunds', currency: 'USD', balance: '250' },
    ]);
  }
  const manager = await signedIn(platform, { ...accountmanager, whitelabelOwnership: partner.slug });
  const { data, errors } = await manager.graphql(query);
  expect(data.account).toEqual({ id: account.id, ledgerBalances: null });
  expect(errors).toMatchObject([{ path: ['account', 'ledgerBalances'], extensions: { code: 'FORBIDDEN' } }]);
});

test('the proof agrees, and names differences', async () => {
  expect(await verifyLedger(platform.services)).toEqual({
    postings: 4,
    payments: 2,
    charges: 2,
    unresolved: 0,
    differences: [],
  });
  const { rows } = await platform.services.pool.query<{ id: string }>(
    `SELECT id FROM transactions WHERE "paymentId" = $1 AND type = 'purchase'`,
    [paymentId],
  );
  await platform.services.pool.query('UPDATE test_processor.charges SET "refundedAmount" = 260 WHERE reference = $1', [
    rows[0]?.id,
  ]);
  await platform.services.pool.query(`UPDATE payments SET "refundedAmount" = 249 WHERE id = $1`, [paymentId]);
  await asOwner(platform, 'UPDATE ledger.balances SET balance = balance + 1 WHERE account = $1', ['refunds']);
  expect((await verifyLedger(platform.services)).differences).toEqual([
    { about: `${account.id} USD refunds`, message: 'the balance is 251, its postings sum to 250' },
    {
      about: paymentId,
      message: 'captured 1000 and refunded 249 USD, by its postings 1000 and 250, owed by the processor 750',
    },
    { about: paymentId, message: 'refunded 249 and reserved 0, by its refunds 250 and 0' },
    { about: rows[0]?.id, message: 'refunded 249, at the processor 260' },
  ]);
});

test('an attempt that failed in the ledger and was captured at the processor is a difference', async () => {
  const { transactions } = await account.charge('tok_visa', { amount: 1000 });
  await platform.services.pool.query(`UPDATE transactions SET status = 'failed' WHERE id = $1`, [
    transactions[0]?.['id'],
  ]);
  expect((await verifyLedger(platform.services)).differences).toContainEqual({
    about: transactions[0]?.['id'],
    message: 'attempt failed, at the processor captured',
  });
});

describe('ledgerCheck', () => {
  let staff: SignedIn;
  beforeAll(async () => {
    staff = await signedIn(platform, { platformRoles: ['accountmanager'] });
  });

  const check = '{ at differenceCount differences { about message paymentId } }';
  const state = async (mode: string) =>
    (await staff.graphql(`{ ledgerCheck(mode: ${mode}) ${check} }`)).data.ledgerCheck;

  test('has the latest proof of its mode: that of both modes counts for each, and an older one changes nothing', async () => {
    expect(await state('live')).toBeNull();
    await staff.graphql('{ ledgerVerification(mode: live) { ok } }');
    expect(await state('live')).toMatchObject({ differenceCount: 0, differences: [] });
    expect(await state('test')).toBeNull();
    const { data } = await staff.graphql(
      '{ ledgerVerification { differenceCount differences { about message paymentId } } }',
    );
    const { at, ...ofBoth } = await state('test');
    expect(ofBoth).toEqual(data.ledgerVerification);
    expect(ofBoth.differenceCount).toBeGreaterThan(0);
    const earlier = new Date(new Date(at).getTime() - 60_000);
    await storeCheck(platform.services.pool, { mode: null, at: earlier, differences: [] });
    expect(await state('test')).toEqual({ at, ...ofBoth });
  });

  test('counts all differences and keeps the first 100 of them', async () => {
    const differences = Array.from({ length: 101 }, (_, n) => ({ about: `pay_${n}`, message: 'differs' }));
    await storeCheck(platform.services.pool, { mode: 'live', at: new Date(Date.now() + 60_000), differences });
    const kept = await state('live');
    expect(kept.differenceCount).toBe(101);
    expect(kept.differences.map(({ about }: { about: string }) => about)).toEqual(
      differences.slice(0, 100).map(({ about }) => about),
    );
  });
});
