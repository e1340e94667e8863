import { isHub, isReader } from '../../auth/roles.ts';
import { type Sql, sql } from '../../database/sql.ts';

/** A kind of object that an operator can search for by its identifier. */
interface Kind {
  prefix: string;
  table: string;
  /** The callers who may read objects of this kind by its own root fields. */
  readers: typeof isHub;
  /** A text by which an operator recognizes it. */
  label: Sql;
  /** The object that it belongs to, which has its own page. */
  belongsTo?: Sql;
  /** Columns under other names than `id`, `mode`, `partnerId`, `platformAccountId` and `createdAt`. */
  columns?: { id?: Sql; mode?: Sql; partnerId?: Sql; platformAccountId?: Sql; createdAt?: Sql };
}

const none = sql`NULL::text`;
const status = sql`t.status`;
const ofPayment = sql`t."paymentId"`;
const name = sql`t.name`;

export const findKinds = {
  payment: { prefix: 'pay_', table: 'payments', readers: isReader, label: status },
  transaction: {
    prefix: 'txn_',
    table: 'transactions',
    readers: isReader,
    label: sql`t.type || ' ' || t.status`,
    belongsTo: ofPayment,
  },
  refund: { prefix: 'ref_', table: 'refunds', readers: isReader, label: status, belongsTo: ofPayment },
  dispute: { prefix: 'dp_', table: 'disputes', readers: isReader, label: status, belongsTo: ofPayment },
  order: { prefix: 'ord_', table: 'orders', readers: isReader, label: status, belongsTo: sql`t."customerId"` },
  subscription: {
    prefix: 'sub_',
    table: 'subscriptions',
    readers: isReader,
    label: status,
    belongsTo: sql`t."customerId"`,
  },
  customer: { prefix: 'cus_', table: 'customers', readers: isReader, label: sql`t.email` },
  paymentInstrument: {
    prefix: 'pi_',
    table: 'payment_instruments',
    readers: isReader,
    label: sql`t.brand || ' ' || t.last4`,
    belongsTo: sql`t."customerId"`,
  },
  account: {
    prefix: 'tpa_',
    table: 'processing_accounts',
    readers: isReader,
    label: sql`t."legalName"`,
    columns: { platformAccountId: sql`t.id` },
  },
  store: { prefix: 'store_', table: 'stores', readers: isReader, label: name, belongsTo: sql`t."platformAccountId"` },
  apiKey: { prefix: 'ak_', table: 'api_keys', readers: isReader, label: sql`t.label` },
  processor: { prefix: 'proc_', table: 'processors', readers: isReader, label: name },
  funnel: { prefix: 'funnel_', table: 'funnels', readers: isReader, label: name },
  webhookEndpoint: { prefix: 'wh_', table: 'webhook_endpoints', readers: isReader, label: sql`t.url` },
  webhookDelivery: {
    prefix: 'whd_',
    table: 'webhook_deliveries',
    readers: isReader,
    label: sql`t."eventType" || ' ' || t.status`,
    belongsTo: sql`t."endpointId"`,
  },
  event: {
    prefix: 'evt_',
    table: 'events',
    readers: isReader,
    label: sql`t.type`,
    belongsTo: sql`t."objectId"`,
  },
  auditRow: {
    prefix: 'aud_',
    table: 'audit_rows',
    readers: isHub,
    label: sql`t.action`,
    belongsTo: sql`t.target`,
    columns: { partnerId: none, platformAccountId: none, createdAt: sql`t.at` },
  },
  partner: {
    prefix: 'par_',
    table: 'partners',
    readers: isHub,
    label: name,
    columns: { mode: none, partnerId: sql`t.id`, platformAccountId: none },
  },
  user: {
    prefix: 'user_',
    table: 'iam_users',
    readers: isReader,
    label: sql`t.email`,
    columns: {
      id: sql`t."idpUserId"`,
      mode: none,
      partnerId: sql`(SELECT p.id FROM partners p WHERE p.slug = t."whitelabelOwnership")`,
      platformAccountId: none,
    },
  },
} as const satisfies Readonly<Record<string, Kind>>;

export type FindKind = keyof typeof findKinds;
