import type { ApiKeyCaller } from '../../auth/caller.ts';
import { type Sql, sql } from '../../database/sql.ts';
import { ruleFacts } from '../block-rules/public.ts';
import { usableSql } from '../processors/public.ts';
import type { ChargeInput } from './inputs.ts';

/** What the statement depends on besides the request. */
interface ChargeSurroundings {
  now: Date;
  payerIp: string | null;
  processorTypes: Iterable<string>;
}

export function chargeFactsStatement(
  caller: ApiKeyCaller,
  input: ChargeInput,
  { now, payerIp, processorTypes }: ChargeSurroundings,
): Sql {
  const processorId = input.processorId ?? null;
  const rules = ruleFacts({ now, payerIp, country: input.billingAddress?.country ?? null });
  return sql`
    SELECT
      s.id AS "storeId", s."platformAccountId", s."partnerId", s.mode, s."chargeCurrencies",
      a.status AS "accountStatus", owner.status AS "partnerStatus",
      i.id AS "paymentInstrumentId", i."customerId", i."cardId", i.last4 AS "cardLast4", i."isActive",
      c."emailLower" AS "customerEmailLower", c."testClockId", tc.now AS "testClockNow",
      p.processor, n.id AS "namedProcessorId", f.flow, f.id AS "namedFlowId",
      o.id AS "orderId", o."storeId" AS "orderStoreId", o.status AS "orderStatus", o."paymentId" AS "orderPaymentId",
      o.amount AS "orderAmount", o.currency AS "orderCurrency",
      sub.id AS "subscriptionId", sub."storeId" AS "subscriptionStoreId", sub."customerId" AS "subscriptionCustomerId",
      ${rules.columns}
    FROM (SELECT ${storeIdOf(caller, input.storeId ?? null)} AS id) asked
    LEFT JOIN stores s ON s.id = asked.id AND ${storeTenant(caller)}
    LEFT JOIN processing_accounts a ON a.id = s."platformAccountId"
    LEFT JOIN partners owner ON owner.id = s."partnerId"
    LEFT JOIN payment_instruments i
      ON i.id = ${input.paymentInstrumentId} AND i."platformAccountId" = s."platformAccountId"
    LEFT JOIN customers c ON c.id = i."customerId"
    LEFT JOIN test_clocks tc ON tc.id = c."testClockId"
    LEFT JOIN processors n ON n.id = ${processorId} AND n."platformAccountId" = s."platformAccountId"
    LEFT JOIN orders o ON o.id = ${input.orderId ?? null} AND o."platformAccountId" = s."platformAccountId"
    LEFT JOIN subscriptions sub
      ON sub.id = ${input.subscriptionId ?? null} AND sub."platformAccountId" = s."platformAccountId"
    ${rules.joins}
    LEFT JOIN LATERAL (
      SELECT json_build_object('id', p.id, 'type', p.type, 'options', p.options, 'secrets', p.secrets) AS processor
      FROM processors p
      WHERE p."platformAccountId" = s."platformAccountId" AND (${processorId}::text IS NULL OR p.id = ${processorId})
        AND ${usableSql({ types: processorTypes, currency: input.currency })}
      ORDER BY p."createdAt", p.id
      LIMIT 1
    ) p ON true
    LEFT JOIN LATERAL (
      SELECT
        f.id,
        CASE WHEN ${processorId}::text IS NULL THEN json_build_object(
          'id', f.id, 'strategy', f.strategy, 'maxRetries', f."maxRetries", 'sticky', f.sticky, 'threeDs', f."threeDs"
        ) END AS flow
      FROM payment_flows f
      WHERE f.id = coalesce(${input.paymentFlowId ?? null}::text, s."paymentFlowId")
        AND f."platformAccountId" = s."platformAccountId"
    ) f ON true`;
}

/** The store of the charge: the one it names, or the only store of a sub-key's account. */
function storeIdOf(caller: ApiKeyCaller, storeId: string | null): Sql {
  if (caller.kind === 'partnerKey') return sql`${storeId}::text`;
  return sql`
    coalesce(${storeId}, (
      SELECT CASE WHEN count(*) = 1 THEN min(o.id) END
      FROM stores o
      WHERE o."platformAccountId" = ${caller.platformAccountId}
    ))`;
}

function storeTenant(caller: ApiKeyCaller): Sql {
  return caller.kind === 'subKey'
    ? sql`s."platformAccountId" = ${caller.platformAccountId}`
    : sql`s."partnerId" = ${caller.partnerId} AND s.mode = ${caller.mode}`;
}
