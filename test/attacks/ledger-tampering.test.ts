import pg from 'pg';
import { afterAll, expect, test } from 'vitest';
import { verifyLedger } from '../../src/domains/ledger/verify-ledger.ts';
import { usePlatform } from '../support/platform.ts';
import { seedPartner } from '../support/seed.ts';

/** An attacker who is a superuser of the database and keeps balances and payments in step with the postings. */
const platform = await usePlatform();
const account = await (await seedPartner(platform)).account();
const pay = async () => String((await account.charge('tok_visa', { amount: 1000 })).payment['id']);
const [first, second] = [await pay(), await pay()];
await account.api.ok('/payments/refund', { paymentId: first, amount: 250 });
const superuser: pg.Client = new pg.Client({ connectionString: platform.databaseUrl });
await superuser.connect();
const transaction = async (type: string) =>
  (
    await superuser.query<{ id: string }>(`SELECT id FROM transactions WHERE type = $1 AND "paymentId" = $2`, [
      type,
      first,
    ])
  ).rows[0]?.id ?? '';
const ids: Record<'first' | 'second' | 'charge' | 'refund', string> = {
  first,
  second,
  charge: await transaction('purchase'),
  refund: await transaction('refund'),
};
afterAll(async () => {
  await superuser?.end();
});

const tables = ['ledger.postings', 'ledger.balances', 'public.payments', 'public.transactions', 'public.refunds'];

/** What the verification finds after a change past the triggers, which is then undone. */
async function tampered(sql: string): Promise<string[]> {
  await superuser.query(`SET session_replication_role = 'replica'`);
  for (const [n, table] of tables.entries()) await superuser.query(`CREATE TEMP TABLE saved_${n} AS TABLE ${table}`);
  try {
    await superuser.query(
      sql.replace(/\b(first|second|charge|refund)\b(?=')/g, (name) => ids[name as keyof typeof ids]),
    );
    return (await verifyLedger(platform.services)).differences.map(({ about, message }) => `${about}: ${message}`);
  } finally {
    for (const [n, table] of tables.entries())
      await superuser.query(`DELETE FROM ${table}; INSERT INTO ${table} TABLE saved_${n}; DROP TABLE saved_${n}`);
    await superuser.query('RESET session_replication_role');
  }
}

/** Makes the balances the sums of the postings again. */
const balanced = `
  DELETE FROM ledger.balances;
  INSERT INTO ledger.balances
  SELECT "platformAccountId", currency, account, 0, "partnerId", mode, sum(amount)
  FROM ledger.postings GROUP BY "platformAccountId", currency, account, "partnerId", mode;`;
/** Another journal entry of a payment that goes from one ledger account to another. */
const inserted = (journalEntryId: string, debit: string, credit: string) => `
  INSERT INTO ledger.postings
  SELECT '${journalEntryId}', l.account, p."paymentId", p."platformAccountId", p."partnerId", p.mode, p.currency, l.amount, now()
  FROM ledger.postings p, (VALUES ('${debit}', 5), ('${credit}', -5)) l (account, amount)
  WHERE p."journalEntryId" = 'charge' AND p.amount > 0; ${balanced}`;

test('nothing was changed: no difference, and none after every change below was undone', async () =>
  expect(await tampered('SELECT 1')).toEqual([]));

test.each([
  [
    'changed on one side',
    `UPDATE ledger.postings SET amount = amount + 1 WHERE "journalEntryId" = 'charge' AND amount > 0`,
  ],
  [
    'changed on both sides, with the balances',
    `UPDATE ledger.postings SET amount = amount * 2 WHERE "journalEntryId" = 'charge'; ${balanced}`,
  ],
  [
    'changed on both sides, with balances and payment',
    `UPDATE ledger.postings SET amount = amount * 2 WHERE "journalEntryId" = 'charge'; ${balanced}
     UPDATE payments SET amount = 2000, "capturedAmount" = 2000 WHERE id = 'first'`,
  ],
  [
    'changed, with balances, payment and transaction',
    `UPDATE ledger.postings SET amount = amount * 2 WHERE "journalEntryId" = 'charge'; ${balanced}
     UPDATE payments SET amount = 2000, "capturedAmount" = 2000 WHERE id = 'first';
     UPDATE transactions SET amount = 2000 WHERE id = 'charge'`,
  ],
  [
    'given another account, with the balances',
    `UPDATE ledger.postings SET account = 'fees' WHERE "journalEntryId" = 'refund' AND account = 'refunds'; ${balanced}`,
  ],
  [
    'given another currency',
    `UPDATE ledger.postings SET currency = 'EUR' WHERE "journalEntryId" = 'refund'; ${balanced}`,
  ],
  ['removed on one side', `DELETE FROM ledger.postings WHERE "journalEntryId" = 'refund' AND amount > 0`],
  ['removed, with the balances', `DELETE FROM ledger.postings WHERE "journalEntryId" = 'refund'; ${balanced}`],
  [
    'removed, with balances, payment and refund',
    `DELETE FROM ledger.postings WHERE "journalEntryId" = 'refund'; ${balanced}
     DELETE FROM refunds WHERE "transactionId" = 'refund';
     UPDATE payments SET "refundedAmount" = 0, status = 'succeeded', "subStatus" = 'captured' WHERE id = 'first'`,
  ],
  [
    'removed, with balances, payment, refund and transaction',
    `DELETE FROM ledger.postings WHERE "journalEntryId" = 'refund'; ${balanced}
     DELETE FROM refunds WHERE "transactionId" = 'refund'; DELETE FROM transactions WHERE id = 'refund';
     UPDATE payments SET "refundedAmount" = 0, status = 'succeeded', "subStatus" = 'captured' WHERE id = 'first'`,
  ],
  ['inserted, with the balances', inserted('txn_forged', 'fees', 'merchant_balance')],
  ['inserted between accounts that no payment counts', inserted('txn_forged', 'dispute_losses', 'disputes')],
  ['inserted under the id of a journal entry', inserted('charge:loss', 'refunds', 'processor_receivable')],
  [
    'moved to another payment',
    `UPDATE ledger.postings SET "paymentId" = CASE "paymentId" WHEN 'first' THEN 'second' ELSE 'first' END
     WHERE "journalEntryId" <> 'refund'`,
  ],
  [
    'given the id of another journal entry',
    `UPDATE ledger.postings SET "journalEntryId" = 'txn_x' WHERE "journalEntryId" = 'charge'`,
  ],
  ['left, and a balance changed', `UPDATE ledger.balances SET balance = balance + 1 WHERE account = 'refunds'`],
  ['left, and a balance removed', `DELETE FROM ledger.balances WHERE account = 'refunds'`],
])('a posting %s', async (_what, sql) => expect(await tampered(sql)).not.toEqual([]));

test('a mode is verified by itself', async () => {
  await superuser.query(`SET session_replication_role = 'replica'`);
  await superuser.query(`UPDATE ledger.balances SET balance = balance + 1 WHERE account = 'refunds'`);
  expect(await verifyLedger(platform.services, 'live')).toEqual({
    postings: 0,
    payments: 0,
    charges: 0,
    unresolved: 0,
    differences: [],
  });
  expect((await verifyLedger(platform.services, 'test')).differences).toHaveLength(1);
});
