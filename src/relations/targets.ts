import { sql } from '../database/sql.ts';
import { Account, type AccountRow } from '../domains/accounts/public.ts';
import { BlockRule } from '../domains/block-rules/public.ts';
import { Customer, type CustomerRow } from '../domains/customers/public.ts';
import { Dispute, type DisputeRow, disputeObject } from '../domains/disputes/public.ts';
import { PaymentInstrument } from '../domains/instruments/public.ts';
import { ApiKey, type KeyRow } from '../domains/keys/public.ts';
import { Order, type OrderRow, orderObject } from '../domains/orders/public.ts';
import { Payment, Refund, type RefundRow } from '../domains/payments/public.ts';
import { Store } from '../domains/stores/public.ts';
import { Subscription, type SubscriptionRow } from '../domains/subscriptions/public.ts';
import {
  attemptsColumn,
  type DeliveryRow,
  type EndpointRow,
  Event,
  endpointView,
  type ShownEvent,
  WebhookDelivery,
  WebhookEndpoint,
} from '../domains/webhooks/public.ts';
import type {
  AuditRow,
  BlockRule as BlockRuleRow,
  PaymentInstrument as InstrumentRow,
  Payment as PaymentRecord,
  Store as StoreRow,
} from '../generated/prisma/client.ts';
import { AuditEntry } from '../people/audit/public.ts';
import { Partner, type PartnerRecord } from '../people/partners/public.ts';
import { RefundRequest, type RefundRequestRow } from '../people/refund-requests/public.ts';
import type { Target } from './link.ts';

/**
 * All targets of links, and who may follow them: callers who may read the target by a root field. Operators read block
 * rules only through their account.
 */

const target = <Row, Item>(parts: Target<Row, Item>): Target<Row, Item> => parts;
const same = <Row>(row: Row): Row => row;
const keysAndReaders = { $any: { key: true, directory: true } } as const;
const suspendedKeysAndReaders = { $any: { suspendedKey: true, directory: true } } as const;

export const accounts = target<AccountRow, AccountRow>({
  type: Account,
  table: 'processing_accounts',
  accountColumn: 'id',
  scopes: keysAndReaders,
  item: same,
});
export const stores = target<StoreRow, StoreRow>({ type: Store, table: 'stores', scopes: keysAndReaders, item: same });
export const blockRules = target<BlockRuleRow, BlockRuleRow>({
  type: BlockRule,
  table: 'block_rules',
  scopes: keysAndReaders,
  item: same,
});
export const apiKeys = target<KeyRow, KeyRow>({
  type: ApiKey,
  table: 'api_keys',
  columns: sql`
    NULL AS "secretHash",
    greatest(t."lastUsedAt", (SELECT u.at FROM limits.key_uses u WHERE u."keyId" = t.id)) AS "lastUsedAt"`,
  scopes: { $any: { partnerKey: true, directory: true } },
  item: same,
});
export const customers = target<CustomerRow, CustomerRow>({
  type: Customer,
  table: 'customers',
  columns: sql`(SELECT s.name FROM stores s WHERE s.id = t."storeId") AS "storeName"`,
  scopes: keysAndReaders,
  item: same,
});
export const instruments = target<InstrumentRow, InstrumentRow>({
  type: PaymentInstrument,
  table: 'payment_instruments',
  scopes: keysAndReaders,
  item: same,
});
export const payments = target<PaymentRecord, PaymentRecord>({
  type: Payment,
  table: 'payments',
  scopes: suspendedKeysAndReaders,
  item: same,
});
export const refunds = target<RefundRow, RefundRow>({
  type: Refund,
  table: 'refunds',
  scopes: suspendedKeysAndReaders,
  item: same,
});
export const orders = target({
  type: Order,
  table: 'orders',
  scopes: keysAndReaders,
  item: (row: OrderRow) => orderObject(row),
});
export const disputes = target({
  type: Dispute,
  table: 'disputes',
  scopes: keysAndReaders,
  item: (row: DisputeRow) => disputeObject(row),
});
export const subscriptions = target<SubscriptionRow, SubscriptionRow>({
  type: Subscription,
  table: 'subscriptions',
  scopes: suspendedKeysAndReaders,
  item: same,
});
export const events = target<ShownEvent, ShownEvent>({
  type: Event,
  table: 'events',
  scopes: { $any: { suspendedKey: true, platformStaff: true } },
  item: same,
});
export const endpoints = target({
  type: WebhookEndpoint,
  table: 'webhook_endpoints',
  columns: sql`NULL AS secret, NULL AS "previousSecret"`,
  always: sql`t."deletedAt" IS NULL`,
  scopes: keysAndReaders,
  item: (row: EndpointRow) => endpointView(row),
});
export const deliveries = target<DeliveryRow, DeliveryRow>({
  type: WebhookDelivery,
  table: 'webhook_deliveries',
  columns: attemptsColumn,
  scopes: keysAndReaders,
  item: same,
});
export const refundRequests = target<RefundRequestRow, RefundRequestRow>({
  type: RefundRequest,
  table: 'refund_requests',
  scopes: { platformStaff: true },
  item: same,
});
export const auditRows = target({
  type: AuditEntry,
  table: 'audit_rows',
  order: 'sequence',
  scopes: { hub: true },
  item: (row: AuditRow) => ({ ...row, createdAt: row.at }),
});
export const partners = target<PartnerRecord, PartnerRecord>({
  type: Partner,
  table: 'partners',
  scopes: { hub: true },
  item: same,
});
