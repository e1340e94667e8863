import type { ApiKeyCaller } from '../../auth/caller.ts';
import { askedTenantColumns, askedTenantCondition, askedTenantOf } from '../../auth/tenancy.ts';
import { recordset } from '../../database/recordset.ts';
import { type Sql, sql } from '../../database/sql.ts';
import { ruleFacts } from '../block-rules/public.ts';
import { usableSql } from '../processors/public.ts';
import type { ChargeInput } from './inputs.ts';

/** What the facts of one charge are asked by. */
export type FactsQuestion = Record<keyof typeof questionColumns, string | Date | null>;

const questionColumns = {
  at: 'text',
  ...askedTenantColumns,
  storeId: 'text',
  paymentInstrumentId: 'text',
  currency: 'text',
  processorId: 'text',
  paymentFlowId: 'text',
  orderId: 'text',
  subscriptionId: 'text',
  payerIp: 'text',
  country: 'text',
  now: 'timestamptz',
};

export function factsQuestion(caller: ApiKeyCaller, input: ChargeInput, now: Date): Omit<FactsQuestion, 'at'> {
  return {
    ...askedTenantOf(caller),
    storeId: input.storeId ?? null,
    paymentInstrumentId: input.paymentInstrumentId,
    currency: input.currency,
    processorId: input.processorId ?? null,
    paymentFlowId: input.paymentFlowId ?? null,
    orderId: input.orderId ?? null,
    subscriptionId: input.subscriptionId ?? null,
    payerIp: input.payerIp ?? null,
    country: input.billingAddress?.country ?? null,
    now,
  };
}

/** One row for each question, with its `at`. */
export function chargeFactsStatement(questions: readonly FactsQuestion[], processorTypes: Iterable<string>): Sql {
  return sql`
    SELECT
      q.at, s.id AS "storeId", s."platformAccountId", s."partnerId", s.mode, s."chargeCurrencies",
      a.status AS "accountStatus", owner.status AS "partnerStatus",
      i.id AS "paymentInstrumentId", i."customerId", i."cardId", i.last4 AS "cardLast4", i."isActive",
      c."emailLower" AS "customerEmailLower", c."testClockId", tc.now AS "testClockNow",
      p.processor, n.id AS "namedProcessorId", f.flow, f.id AS "namedFlowId",
      o.id AS "orderId", o."storeId" AS "orderStoreId", o.status AS "orderStatus", o."paymentId" AS "orderPaymentId",
      o.amount AS "orderAmount", o.currency AS "orderCurrency",
      sub.id AS "subscriptionId", sub."storeId" AS "subscriptionStoreId", sub."customerId" AS "subscriptionCustomerId",
      ${ruleFacts.columns}
    FROM ${recordset('q', questionColumns, 'at', questions)}
    LEFT JOIN stores s ON s.id = ${askedStore} AND ${isTenantsStore}
    LEFT JOIN processing_accounts a ON a.id = s."platformAccountId"
    LEFT JOIN partners owner ON owner.id = s."partnerId"
    LEFT JOIN payment_instruments i
      ON i.id = q."paymentInstrumentId" AND i."platformAccountId" = s."platformAccountId"
    LEFT JOIN customers c ON c.id = i."customerId"
    LEFT JOIN test_clocks tc ON tc.id = c."testClockId"
    LEFT JOIN processors n ON n.id = q."processorId" AND n."platformAccountId" = s."platformAccountId"
    LEFT JOIN orders o ON o.id = q."orderId" AND o."platformAccountId" = s."platformAccountId"
    LEFT JOIN subscriptions sub
      ON sub.id = q."subscriptionId" AND sub."platformAccountId" = s."platformAccountId"
    ${ruleFacts.joins}
    LEFT JOIN LATERAL (
      SELECT json_build_object('id', p.id, 'type', p.type, 'options', p.options, 'secrets', p.secrets) AS processor
      FROM processors p
      WHERE p."platformAccountId" = s."platformAccountId" AND (q."processorId" IS NULL OR p.id = q."processorId")
        AND ${usableSql({ types: processorTypes, currency: sql`q.currency` })}
      ORDER BY p."createdAt", p.id
      LIMIT 1
    ) p ON true
    LEFT JOIN LATERAL (
      SELECT
        f.id,
        CASE WHEN q."processorId" IS NULL THEN json_build_object(
          'id', f.id, 'strategy', f.strategy, 'maxRetries', f."maxRetries", 'sticky', f.sticky, 'threeDs', f."threeDs"
        ) END AS flow
      FROM payment_flows f
      WHERE f.id = coalesce(q."paymentFlowId", s."paymentFlowId")
        AND f."platformAccountId" = s."platformAccountId"
    ) f ON true`;
}

/** The store of the charge: the one it names, or the only store of a sub-key's account. */
const askedStore = sql`coalesce(q."storeId", (
  SELECT CASE WHEN count(*) = 1 THEN min(o.id) END
  FROM stores o
  WHERE o."platformAccountId" = q."accountId"
))`;

const isTenantsStore = askedTenantCondition('s');
