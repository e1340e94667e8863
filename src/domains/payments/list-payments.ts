import type { Visibility } from '../../auth/tenancy.ts';
import { identifier, type Sql, sql } from '../../database/sql.ts';
import type { Payment } from '../../generated/prisma/client.ts';
import type { Context, KeyContext } from '../../graph/context.ts';
import { amount, date, is, oneOf, text } from '../../graph/list-filters.ts';
import { columnsRead, type ListArguments, type ListDefinition, type Page, readList } from '../../graph/lists.ts';
import type { PaymentFilters } from './inputs.ts';

export const paymentList: ListDefinition<typeof PaymentFilters.$inferInput> = {
  table: 'payments',
  columns: columnsRead([
    'id',
    'storeId',
    'platformAccountId',
    'customerId',
    'paymentInstrumentId',
    'orderId',
    'subscriptionId',
    'amount',
    'currency',
    'capturedAmount',
    'refundedAmount',
    'status',
    'subStatus',
    'failureCode',
    'failureMessage',
    'requireAction',
    'requireActionData',
    'processorId',
    'paymentFlowId',
    'metadata',
    'mode',
    'voidedAt',
    'createdAt',
    'updatedAt',
  ] satisfies (keyof Payment)[]),
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
    failureCode: oneOf('failureCode'),
    processorReference: ofReference,
    fingerprint: ofCard,
    platformAccountId: is('platformAccountId'),
  },
  counted: true,
  cursor: true,
};

function ofReference(reference: string): Sql {
  return sql`t.id = ANY(ARRAY(SELECT x."paymentId" FROM transactions x WHERE x."processorReference" = ${reference}))`;
}

/** By way of the customers of the card, whose payments have an index: one of the instrument would cost every charge. */
function ofCard(fingerprint: string): Sql {
  const instruments = (column: string) =>
    sql`ARRAY(SELECT i.${identifier(column)} FROM payment_instruments i WHERE i.fingerprint = ${fingerprint})`;
  return sql`
    t."customerId" = ANY(${instruments('customerId')}) AND t."paymentInstrumentId" = ANY(${instruments('id')})`;
}

export function listPayments(
  context: KeyContext,
  args: ListArguments<typeof PaymentFilters.$inferInput>,
): Promise<Page<Payment>> {
  return listPaymentsWithin(context, context.caller, args);
}

/** The same list for another visibility, such as that of an operator. */
export function listPaymentsWithin(
  { services }: Context,
  visibility: Visibility,
  args: ListArguments<typeof PaymentFilters.$inferInput>,
): Promise<Page<Payment>> {
  return readList(services.pool, visibility, paymentList, args);
}
