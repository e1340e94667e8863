import type { Answer } from '../../support/client.ts';
import { asOwner } from '../../support/database.ts';
import type { TestPlatform } from '../../support/platform.ts';
import type { SeededAccount, SeededPartner } from '../../support/seed.ts';
import { priceOf } from '../../support/subscriptions.ts';

/** A merchant of a partner of its own, with all that a charge may refer to. */
export interface Merchant {
  partner: SeededPartner;
  account: SeededAccount;
  paymentInstrumentId: string;
  subscriptionId: string;
}

export async function merchantOf(partner: SeededPartner): Promise<Merchant> {
  const account = await partner.account();
  const { api } = account;
  const { items } = await api.ok('/processors/list', {});
  const { id: paymentFlowId } = await api.ok('/payment-flows/create', {
    name: 'Flow',
    processors: [{ processorId: items[0].id }],
  });
  await partner.api.ok(`/stores/${account.storeId}`, { paymentFlowId }, { method: 'PUT' });
  await api.ok('/webhooks', { url: 'https://example.com/hook', eventTypes: ['payment/succeeded'] });
  const { id: paymentInstrumentId, customerId } = await account.instrument();
  const { id: subscriptionId } = await api.ok('/subscriptions/create', {
    priceId: await priceOf(account, { trialDays: 30 }),
    paymentInstrumentId,
    customerId,
  });
  return { partner, account, paymentInstrumentId, subscriptionId };
}

/** A call with an Idempotency-Key of its own, which a repeat of it has, too. */
export type KeyedCall = () => Promise<Answer>;

let count = 0;

export function keyedCall({ api }: SeededAccount, path: string, body: object): KeyedCall {
  const headers = { 'Idempotency-Key': `locked ${++count}` };
  return () => api.call(path, body, { headers });
}

export function customerCall(account: SeededAccount): KeyedCall {
  return keyedCall(account, '/customers/create', { email: `locked-${++count}@example.com` });
}

/** Calls of each kind that writes a payment, and of some ordinary writes. What they are about is made first. */
export async function callsOf({
  account,
  paymentInstrumentId,
  subscriptionId,
}: Merchant): Promise<Record<string, KeyedCall>> {
  const charge = { paymentInstrumentId, amount: 1000, currency: 'USD' };
  const paid = async (type: object) => (await account.api.ok('/payments/process', { ...charge, ...type })).payment.id;
  const items = [{ name: 'Tea', quantity: 1, unitAmount: 1000 }];
  const [{ id: orderId }, { id: toCancel }, toCapture, toVoid, toRefund] = await Promise.all([
    account.api.ok('/orders/create', { currency: 'USD', items }),
    account.api.ok('/orders/create', { currency: 'USD', items }),
    paid({ mode: 'auth' }),
    paid({ mode: 'auth' }),
    paid({}),
  ]);
  const keyed = (path: string, body: object) => keyedCall(account, path, body);
  return {
    charge: keyed('/payments/process', charge),
    chargeOfSubscription: keyed('/payments/process', { ...charge, subscriptionId }),
    chargeOfOrder: keyed('/payments/process', { ...charge, orderId }),
    capture: keyed('/payments/capture', { paymentId: toCapture }),
    void: keyed('/payments/void', { paymentId: toVoid }),
    refund: keyed('/payments/refund', { paymentId: toRefund, amount: 100 }),
    createCustomer: customerCall(account),
    createOrder: keyed('/orders/create', { currency: 'USD', items }),
    createProduct: keyed('/products/create', { name: 'Tea', prices: [{ currency: 'USD', amount: 100 }] }),
    cancelOrder: keyed('/orders/cancel', { orderId: toCancel }),
  };
}

export interface Table {
  name: string;
  columns: string[];
}

/** All tables; or those with rows written since this transaction, and those that foreign keys of them refer to. */
export async function tablesOf(platform: TestPlatform, since: string | null): Promise<Table[]> {
  const { rows: tables } = await asOwner<Table & { refers: string[] }>(
    platform,
    `SELECT
      c.oid::regclass::text AS name,
      ARRAY(SELECT a.attname::text FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attnum > 0) AS columns,
      ARRAY(
        SELECT f.confrelid::regclass::text FROM pg_constraint f WHERE f.conrelid = c.oid AND f.contype = 'f'
      ) AS refers
    FROM pg_class c
    JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE c.relkind = 'r' AND n.nspname NOT IN ('pg_catalog', 'information_schema')
    ORDER BY 1`,
  );
  if (since === null) return tables;
  const found = new Set<string>();
  for (const { name, refers } of tables) {
    const { rows } = await asOwner(platform, `SELECT FROM ${name} WHERE xmin::text::bigint >= ${since} LIMIT 1`);
    if (rows.length > 0) for (const table of [name, ...refers]) found.add(table);
  }
  return tables.filter(({ name }) => found.has(name));
}

/** Which rows of a table are those of a partner. Null: not by a column of the table that is known here. */
export function rowsOfPartner(table: string, columns: readonly string[]): string | null {
  const payments = 'SELECT id FROM payments WHERE "partnerId" = $1';
  const transactions = 'SELECT id FROM transactions WHERE "partnerId" = $1';
  const byTable: Record<string, string> = {
    partners: 'id = $1',
    idempotency_records: `"subjectId" IN (${payments} UNION ALL ${transactions})`,
    'limits.buckets': 'owner IN (SELECT id FROM processing_accounts WHERE "partnerId" = $1)',
    'limits.key_uses': '"keyId" IN (SELECT id FROM api_keys WHERE "partnerId" = $1)',
    'test_processor.charges': `reference IN (${transactions})`,
    'test_processor.modifications': `reference IN (${transactions})`,
  };
  return byTable[table] ?? (columns.includes('partnerId') ? '"partnerId" = $1' : null);
}
