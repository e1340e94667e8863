import type pg from 'pg';
import { isOfPeople, type Visibility } from '../../auth/tenancy.ts';
import { constant, empty, identifier, queryList, type Sql, sql } from '../../database/sql.ts';
import type { Payment as PaymentRecord } from '../../generated/prisma/client.ts';
import { builder } from '../../graph/builder.ts';
import type { TextFilterValue } from '../../lists/inputs.ts';
import { amounts, anyOf, bool, dates, exactly, flag, id, ids, listOf, texts } from '../../lists/list-of.ts';
import { columnsRead, type ListDefinition } from '../../lists/read-list.ts';
import { FailureCode, Payment } from './types.ts';

const PaymentStatusFilter = builder.enumType('PaymentStatusFilter', {
  description: 'The status of a payment, as a filter.',
  values: {
    pending: { description: 'Payments without a final outcome.' },
    succeeded: { description: 'Payments whose amount was captured and not refunded.' },
    declined: { description: 'Payments that were declined.' },
    failed: { description: 'Payments that failed, expired or were voided.' },
    partially_refunded: { description: 'Payments of which a part was refunded.' },
    refunded: { description: 'Payments that were refunded completely.' },
  } as const,
});

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

/**
 * Digits that more cards share belong to so many payments that the newest ones are found quickly by the usual query.
 */
const cardsMax = 500;

/**
 * If an operator filters by the last digits of few cards, their payments are found through their customers, as in
 * `ofCard`: otherwise all payments of all partners would be read. The digits of a card do not change.
 */
async function paymentsFor<Filters extends { cardLast4?: TextFilterValue | null | undefined }>(
  usual: ListDefinition<Filters>,
  visibility: Visibility,
  filters: Filters | null | undefined,
  { pool }: { pool: pg.Pool },
): Promise<ListDefinition<Filters>> {
  const digits = filters?.cardLast4;
  if (!isOfPeople(visibility) || digits?.condition !== 'is') return usual;
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
  if (cards.length > cardsMax) return usual;
  const cardLast4 = () => sql`
    t."customerId" = ANY(${cards.map(({ customerId }) => customerId)})
    AND t."paymentInstrumentId" = ANY(${cards.map(({ id }) => id)})`;
  return { ...usual, filters: { ...usual.filters, cardLast4 } };
}

export const payments = listOf('Payment', Payment, (row: PaymentRecord) => row, {
  of: 'payments',
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
  ] satisfies (keyof PaymentRecord)[]),
  sorts: { createdAt: 'createdAt', amount: 'amount', status: 'status' },
  aboutFilters: 'Filters of the payments. A payment must match all that are given.',
  filters: {
    status: anyOf(PaymentStatusFilter, 'Payments with any of these statuses.'),
    currency: anyOf('Currency', 'Payments in any of these currencies.'),
    storeId: ids('Payments of any of these stores.'),
    customerId: id('Payments of this customer.'),
    orderId: id('Payments of this order.'),
    subscriptionId: id('Payments of this subscription.'),
    processorId: ids('Payments whose deciding attempt was made at any of these processors.', { where: ofProcessors }),
    createdAt: dates('Payments created in this period.'),
    customerEmail: texts('Payments by the email address of the customer at the time of the charge.', {
      column: 'customerEmailLower',
      lowered: true,
    }),
    cardLast4: texts('Payments by the last four digits of the card.', { lowered: true }),
    amount: amounts('Payments by amount in minor units.'),
    failureCode: anyOf(FailureCode, 'Payments that failed for any of these reasons.'),
    processorReference: exactly('ShortText', "The payment with a transaction of this processor's reference.", {
      where: ofReference,
    }),
    fingerprint: exactly(
      'ShortText',
      'Payments with the card of this `fingerprint`, whichever payment instrument it is.',
      { where: ofCard },
    ),
    platformAccountId: id('Payments of this processing account.'),
    isProcessing: bool(
      'True for payments of which a charge, capture, void or refund is awaiting its outcome at the processor, ' +
        'false for the others.',
      { where: isProcessing },
    ),
    onTestClock: flag('True for payments of customers on a test clock, false for the others.', {
      column: 'testClockId',
    }),
  },
  counted: true,
  cursor: true,
  forPeople: true,
  definitionFor: paymentsFor,
});
