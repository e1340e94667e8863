import { type Reach, tenantOf } from '../auth/tenancy.ts';
import type { Payment } from '../generated/prisma/client.ts';
import type { Context, KeyContext } from '../graph/context.ts';
import { amount, date, is, oneOf, text } from '../graph/list-filters.ts';
import { type ListArguments, type ListDefinition, type Page, readList } from '../graph/lists.ts';
import { NotFound } from '../kit/errors.ts';
import type { PaymentFilters } from './schema.ts';
import type { PaymentWithTransactions } from './types.ts';

export { applyFollowUp } from './apply-notice.ts';
export { resolutionOutcomes, resolvePayment } from './resolve-payment.ts';

const paymentList: ListDefinition<typeof PaymentFilters.$inferInput> = {
  table: 'payments',
  sorts: { createdAt: 'createdAt', amount: 'amount', status: 'status' },
  filters: {
    status: oneOf('status'),
    currency: oneOf('currency'),
    storeId: oneOf('storeId'),
    customerId: is('customerId'),
    orderId: is('orderId'),
    subscriptionId: is('subscriptionId'),
    processorId: oneOf('processorId'),
    createdAt: date('createdAt'),
    customerEmail: text('customerEmailLower', { lowered: true }),
    cardLast4: text('cardLast4'),
    amount: amount('amount'),
  },
  counted: true,
  cursor: true,
};

export function listPayments(
  context: KeyContext,
  args: ListArguments<typeof PaymentFilters.$inferInput>,
): Promise<Page<Payment>> {
  return listPaymentsWithin(context, context.caller, args);
}

/** The same list for whoever else looks at payments. */
export function listPaymentsWithin(
  { env }: Context,
  reach: Reach,
  args: ListArguments<typeof PaymentFilters.$inferInput>,
): Promise<Page<Payment>> {
  return readList(env.pool, reach, paymentList, args);
}

/** The latest payments of an account that the caller was already allowed to see. */
export function paymentsOfAccount(context: Context, platformAccountId: string, first: number): Promise<Payment[]> {
  return context.env.prisma.payment.findMany({
    where: { platformAccountId },
    orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
    take: first,
  });
}

export { lockPayment } from './follow-up-statements.ts';
export { permitted } from './follow-up.ts';
export { disputeAmount, pastDisputeAmount } from './policy.ts';
export { assign, statement } from './statement.ts';

export async function readPayment(context: KeyContext, paymentId: string): Promise<PaymentWithTransactions> {
  const found = await context.env.prisma.payment.findFirst({
    where: { ...tenantOf(context.caller), id: paymentId },
    include: { transactions: { orderBy: [{ createdAt: 'asc' }, { id: 'asc' }] } },
  });
  if (!found) throw noSuchPayment();
  const { transactions, ...payment } = found;
  return { payment, transactions };
}

export function noSuchPayment(): NotFound {
  return new NotFound('There is no such payment.', 'PAYMENT_NOT_FOUND');
}
