import { sql } from '../database/sql.ts';
import { Account } from '../domains/accounts/public.ts';
import { BlockRule } from '../domains/block-rules/public.ts';
import { Customer } from '../domains/customers/public.ts';
import { Dispute, type DisputeRow, disputeObject } from '../domains/disputes/public.ts';
import { PaymentInstrument } from '../domains/instruments/public.ts';
import { ApiKey } from '../domains/keys/public.ts';
import { Order, type OrderRow, orderObject } from '../domains/orders/public.ts';
import { Payment, Refund } from '../domains/payments/public.ts';
import { Processor, type ProcessorRow } from '../domains/processors/public.ts';
import { Price, type PriceRow, Product, type ProductRow } from '../domains/products/public.ts';
import { Store } from '../domains/stores/public.ts';
import { Subscription } from '../domains/subscriptions/public.ts';
import {
  attemptsColumn,
  type EndpointRow,
  Event,
  endpointView,
  WebhookDelivery,
  WebhookEndpoint,
} from '../domains/webhooks/public.ts';
import { AuditEntry, type AuditListRow, auditColumns, auditedPartnerOf, auditRowsOf } from '../iam/public.ts';
import { RefundRequest, requestsSeenBy } from '../operators/public.ts';
import type { Target } from './link.ts';

/**
 * All targets of links, and who may follow them: callers who may read the target by a root field. Operators read block
 * rules only through their account, and prices and products only through subscriptions.
 */

/** A target whose objects are its rows. */
const rowsOf = <Row>(parts: Omit<Target<Row, Row>, 'item'>): Target<Row, Row> => ({ ...parts, item: (row) => row });
const target = <Row, Item>(parts: Target<Row, Item>): Target<Row, Item> => parts;
const keysAndReaders = { $any: { suspendedKey: true, directory: true } } as const;

export const accounts = rowsOf({
  type: Account,
  table: 'processing_accounts',
  accountColumn: 'id',
  scopes: keysAndReaders,
});
export const stores = rowsOf({ type: Store, table: 'stores', scopes: keysAndReaders });
export const blockRules = rowsOf({
  type: BlockRule,
  table: 'block_rules',
  scopes: keysAndReaders,
});
export const apiKeys = rowsOf({
  type: ApiKey,
  table: 'api_keys',
  columns: () => sql`
    NULL AS "secretHash",
    greatest(t."lastUsedAt", (SELECT u.at FROM limits.key_uses u WHERE u."keyId" = t.id)) AS "lastUsedAt"`,
  scopes: { $any: { suspendedPartnerKey: true, directory: true } },
});
export const customers = rowsOf({
  type: Customer,
  table: 'customers',
  columns: () => sql`(SELECT s.name FROM stores s WHERE s.id = t."storeId") AS "storeName"`,
  scopes: keysAndReaders,
});
export const instruments = rowsOf({
  type: PaymentInstrument,
  table: 'payment_instruments',
  scopes: keysAndReaders,
});
export const payments = rowsOf({
  type: Payment,
  table: 'payments',
  scopes: keysAndReaders,
});
export const refunds = rowsOf({
  type: Refund,
  table: 'refunds',
  scopes: keysAndReaders,
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
export const subscriptions = rowsOf({
  type: Subscription,
  table: 'subscriptions',
  scopes: keysAndReaders,
});
export const processors = rowsOf<ProcessorRow>({
  type: Processor,
  table: 'processors',
  columns: () => sql`NULL AS secrets, ARRAY(SELECT jsonb_object_keys(t.secrets) ORDER BY 1) AS "secretOptions"`,
  scopes: keysAndReaders,
});
export const prices = rowsOf<PriceRow>({
  type: Price,
  table: 'prices',
  scopes: keysAndReaders,
});
export const products = rowsOf<ProductRow>({
  type: Product,
  table: 'products',
  columns: () => sql`(SELECT json_agg(p ORDER BY p.position) FROM prices p WHERE p."productId" = t.id) AS prices`,
  scopes: keysAndReaders,
});
export const events = rowsOf({
  type: Event,
  table: 'events',
  scopes: keysAndReaders,
});
export const endpoints = target({
  type: WebhookEndpoint,
  table: 'webhook_endpoints',
  columns: () => sql`NULL AS secret, NULL AS "previousSecret"`,
  always: () => sql`t."deletedAt" IS NULL`,
  scopes: keysAndReaders,
  item: (row: EndpointRow) => endpointView(row),
});
export const deliveries = rowsOf({
  type: WebhookDelivery,
  table: 'webhook_deliveries',
  columns: () => attemptsColumn,
  scopes: keysAndReaders,
});
export const refundRequests = rowsOf({
  type: RefundRequest,
  table: 'refund_requests',
  scopes: { directory: true },
  always: ({ caller }) => requestsSeenBy(caller),
});
export const auditRows = target({
  type: AuditEntry,
  table: 'audit_rows',
  order: 'sequence',
  scopes: { auditor: true },
  columns: ({ caller }) => auditColumns(auditedPartnerOf(caller)),
  always: ({ caller }) => auditRowsOf(auditedPartnerOf(caller)),
  item: (row: AuditListRow) => row,
});
