import type pg from 'pg';
import type { Visibility } from '../../auth/tenancy.ts';
import type { Context, KeyContext } from '../../call/context.ts';
import { constant, empty, identifier, queryList, type Sql, sql } from '../../database/sql.ts';
import type { Payment } from '../../generated/prisma/client.ts';
import { amount, date, is, isSet, oneOf, text } from '../../lists/filters.ts';
import { columnsRead, type ListArguments, type ListDefinition, type Page, readList } from '../../lists/read-list.ts';
import type { PaymentFilters } from './inputs.ts';

type Filters = typeof PaymentFilters.$inferInput;

export const paymentList: ListDefinition<Filters> = {
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
    processorId: ofProcessors,
    createdAt: date('createdAt'),
    customerEmail: text('customerEmailLower', { lowered: true }),
    cardLast4: text('cardLast4', { lowered: true }),
    amount: amount('amount'),
    failureCode: oneOf('failureCode'),
    processorReference: ofReference,
    fingerprint: ofCard,
    platformAccountId: is('platformAccountId'),
    isProcessing,
    onTestClock: isSet('testClockId'),
  },
  counted: true,
  cursor: true,
};

/** Uses the index of the account, since all payments of a processor have the same account. */
function ofProcessors(processorIds: readonly string[]): Sql {
  const accounts = sql`SELECT r."platformAccountId" FROM processors r WHERE r.id`;
  const [first] = processorIds;
  if (processorIds.length === 1)
    return sql`t."processorId" = ${first} AND t."platformAccountId" = (${accounts} = ${first})`;
  const ids = [...processorIds];
  return sql`
    t."processorId" = ANY(${ids})
    AND t."platformAccountId" = ANY(ARRAY(${accounts} = ANY(${ids})))`;
}

/** Found through the transactions without an outcome, which are few and indexed. */
function isProcessing(value: boolean): Sql {
  const open = sql`ARRAY(SELECT x."paymentId" FROM transactions x WHERE x.status = 'processing')`;
  return value ? sql`t.id = ANY(${open})` : sql`t.id <> ALL(${open})`;
}

function ofReference(reference: string): Sql {
  return sql`t.id = ANY(ARRAY(SELECT x."paymentId" FROM transactions x WHERE x."processorReference" = ${reference}))`;
}

/**
 * Found through the customers of the card, whose payments are indexed: an index by instrument would slow every charge.
 */
function ofCard(fingerprint: string): Sql {
  const instruments = (column: string) =>
    sql`ARRAY(SELECT i.${identifier(column)} FROM payment_instruments i WHERE i.fingerprint = ${fingerprint})`;
  return sql`
    t."customerId" = ANY(${instruments('customerId')}) AND t."paymentInstrumentId" = ANY(${instruments('id')})`;
}

export function listPayments(context: KeyContext, args: ListArguments<Filters>): Promise<Page<Payment>> {
  return listPaymentsWithin(context, context.caller, args);
}

/** The same list for another visibility, such as that of an operator. */
export async function listPaymentsWithin(
  { services: { pool } }: Context,
  visibility: Visibility,
  args: ListArguments<Filters>,
): Promise<Page<Payment>> {
  return readList(pool, visibility, await listFor(pool, visibility, args.filters?.cardLast4), args);
}

/**
 * Digits that more cards share belong to so many payments that the newest ones are found quickly by the usual query.
 */
const cardsMax = 500;

/**
 * If an operator filters by the last digits of few cards, their payments are found through their customers, as in
 * `ofCard`: otherwise all payments of all partners would be read. The digits of a card do not change.
 */
async function listFor(
  pool: pg.Pool,
  visibility: Visibility,
  digits: Filters['cardLast4'],
): Promise<ListDefinition<Filters>> {
  if (visibility.kind !== 'operator' || digits?.condition !== 'is') return paymentList;
  const cards = await queryList<{ id: string; customerId: string }>(
    pool,
    sql`
      SELECT c.id, c."customerId"
      FROM partners p
      CROSS JOIN LATERAL (
        SELECT t.id, t."customerId"
        FROM payment_instruments t
        WHERE t."partnerId" = p.id AND t.mode = ${visibility.mode} AND t.last4 = ${digits.value}
        LIMIT ${constant(cardsMax + 1)}
      ) c
      ${visibility.partnerId === null ? empty : sql`WHERE p.id = ${visibility.partnerId}`}
      LIMIT ${constant(cardsMax + 1)}`,
  );
  if (cards.length > cardsMax) return paymentList;
  const cardLast4 = () => sql`
    t."customerId" = ANY(${cards.map(({ customerId }) => customerId)})
    AND t."paymentInstrumentId" = ANY(${cards.map(({ id }) => id)})`;
  return { ...paymentList, filters: { ...paymentList.filters, cardLast4 } };
}
