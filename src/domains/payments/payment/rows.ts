import type pg from 'pg';
import { tenantWhere } from '../../../auth/tenancy.ts';
import { objectVisibilityOf } from '../../../auth/visibility.ts';
import { noSuch } from '../../../auth/visible.ts';
import type { TenantContext, ViewerContext } from '../../../call/context.ts';
import { type Queryable, queryRow, queryRows, type SqlRow, sql } from '../../../database/sql.ts';
import {
  type Payment as PaymentRecord,
  Prisma,
  type PrismaClient,
  type Refund as RefundRecord,
  type ThreeDsSession,
  type Transaction as TransactionRecord,
} from '../../../generated/prisma/client.ts';

export type PaymentRow = SqlRow<PaymentRecord>;
export type TransactionRow = SqlRow<TransactionRecord>;
export type ChallengeRow = ThreeDsSession;
export type RefundRow = SqlRow<RefundRecord>;

/** Which payment, and whose. */
export type PaymentOfAccount = Pick<PaymentRow, 'id' | 'platformAccountId'>;

/** The answer of the operations on one payment. */
export interface PaymentWithTransactions {
  payment: PaymentRow;
  transactions: TransactionRow[];
}

/** The payment as the graph shows it. */
export function asPayment({ payment, transactions }: PaymentWithTransactions): PaymentRow {
  return { ...payment, transactions } as PaymentRow;
}

/** The answer of a capture, void or refund; `refund` is null unless it was a refund. */
export interface ModificationResult extends PaymentWithTransactions {
  refund: RefundRow | null;
}

/** What the payer must do, as stored with the payment. */
export interface RequiredAction {
  type: string;
  url: string;
  threedsSessionId: string;
  expiresAt: string;
}

type PaymentReader = Pick<PrismaClient, 'payment'>;

/** The payment that matches the condition with its transactions, the oldest first, or null. */
export async function findPayment(
  database: PaymentReader,
  where: Prisma.PaymentWhereInput,
): Promise<PaymentWithTransactions | null> {
  const [found] = await findPayments(database, { where, take: 1 });
  return found ?? null;
}

/** As `findPayment`; throws 404 if there is none. */
export async function requirePayment(
  database: PaymentReader,
  where: Prisma.PaymentWhereInput,
): Promise<PaymentWithTransactions> {
  const found = await findPayment(database, where);
  if (!found) throw noSuch('payment');
  return found;
}

/** Several payments, each with its transactions, the oldest first. */
export async function findPayments(
  { payment: payments }: PaymentReader,
  query: { where: Prisma.PaymentWhereInput; take: number; orderBy?: Prisma.PaymentOrderByWithRelationInput },
): Promise<PaymentWithTransactions[]> {
  const found = await payments.findMany({
    ...query,
    include: { transactions: { orderBy: [{ createdAt: 'asc' }, { id: 'asc' }] } },
  });
  return found.map(({ transactions, ...payment }) => ({ payment, transactions }));
}

/** The payment, locked until the database transaction ends, and its transactions. Throws 404 if there is none. */
export async function lockPayment(
  client: Queryable,
  paymentId: string,
  tenant = sql`true`,
): Promise<PaymentWithTransactions> {
  const payment = await queryRow<PaymentRow>(
    client,
    sql`
      SELECT t.*
      FROM payments t
      WHERE t.id = ${paymentId} AND ${tenant}
      FOR NO KEY UPDATE`,
  );
  if (!payment) throw noSuch('payment');
  const transactions = await queryRows<TransactionRow>(
    client,
    sql`
      SELECT *
      FROM transactions
      WHERE "paymentId" = ${paymentId}
      ORDER BY "createdAt", id`,
  );
  return { payment, transactions };
}

/** The transaction that approved the payment: its purchase or authorization. */
export function approvedOf({ payment, transactions }: PaymentWithTransactions): TransactionRow {
  const approved = transactions.find(({ type, status }) => isCharge(type) && status === 'succeeded');
  if (!approved) throw new Error(`Payment ${payment.id} has no approved authorization.`);
  return approved;
}

/** The processor's reference of what is captured, voided or refunded. */
export function authorizationReferenceOf(state: PaymentWithTransactions): string {
  const { id, processorReference } = approvedOf(state);
  if (processorReference === null)
    throw new Error(`Transaction ${id} was approved without a reference of the processor.`);
  return processorReference;
}

export function transactionById({ transactions }: PaymentWithTransactions, transactionId: string): TransactionRow {
  const transaction = transactions.find(({ id }) => id === transactionId);
  if (!transaction) throw new Error(`There is no transaction ${transactionId}.`);
  return transaction;
}

/** The last attempt of a charge; a charge for which no processor was called has none. */
export function lastAttemptOf({ payment, transactions }: PaymentWithTransactions): TransactionRow {
  const attempt = transactions.at(-1);
  if (!attempt) throw new Error(`Payment ${payment.id} has no attempt.`);
  return attempt;
}

/** Whether a transaction is an attempt of a charge, not a modification. */
export function isCharge(type: string): type is 'purchase' | 'authorization' {
  return type === 'purchase' || type === 'authorization';
}

export async function readPayment(
  context: ViewerContext | TenantContext,
  paymentId: string,
): Promise<PaymentWithTransactions> {
  const tenant = tenantWhere(await objectVisibilityOf(context));
  return requirePayment(context.services.prisma, { ...tenant, id: paymentId });
}

/** True or null, as `done` of a retried commit requires. */
export async function hasTransaction(pool: pg.Pool, id: string): Promise<true | null> {
  return (await queryRow(pool, sql`SELECT 1 FROM transactions WHERE id = ${id}`)) ? true : null;
}

/** Erases the personal data of the payer of all payments of a customer. `email` takes the place of the address. */
export async function erasePayer(
  tx: Prisma.TransactionClient,
  customerId: string,
  { emailLower }: { emailLower: string },
): Promise<void> {
  await tx.payment.updateMany({
    where: { customerId },
    data: { customerEmailLower: emailLower, billingAddress: Prisma.DbNull, shippingAddress: Prisma.DbNull },
  });
}
