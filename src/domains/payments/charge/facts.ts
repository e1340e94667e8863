import type pg from 'pg';
import { assertMayCharge, type ChargingStatus } from '../../../auth/charging-status.ts';
import {
  requestedTenant,
  requestedTenantColumns,
  requestedTenantCondition,
  type Tenant,
} from '../../../auth/tenancy.ts';
import { noSuch } from '../../../auth/visible.ts';
import type { TenantContext } from '../../../call/context.ts';
import { batched } from '../../../database/batched.ts';
import { recordset } from '../../../database/recordset.ts';
import { queryRows, type Sql, sql } from '../../../database/sql.ts';
import type { TestClockTime } from '../../../lib/clock.ts';
import { Conflict, type InputIssue, InvalidInput } from '../../../lib/errors.ts';
import type { Mode } from '../../../lib/ids.ts';
import { type RuledCharge, ruleFacts } from '../../block-rules/public.ts';
import { mayBePaid } from '../../orders/public.ts';
import { type ChargeFlow, type ChosenProcessor, usableSql } from '../../processors/public.ts';
import { storeOutOfScope, storeRequired } from '../../stores/public.ts';
import type { ChargeInput } from '../inputs.ts';

/** The parameters of the query for the facts of one charge. */
type FactsQuestion = Record<keyof typeof questionColumns, string | Date | null>;

const questionColumns = {
  at: 'text',
  ...requestedTenantColumns,
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

function factsQuestion(tenant: Tenant, input: ChargeInput, now: Date): Omit<FactsQuestion, 'at'> {
  return {
    ...requestedTenant(tenant),
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

/** One row for each question, identified by `at`. */
function chargeFactsStatement(questions: readonly FactsQuestion[], processorTypes: Iterable<string>): Sql {
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

const isTenantsStore = requestedTenantCondition('s');

/** The columns that a charge depends on. */
interface FactColumns extends RuledCharge, ChargingStatus {
  storeId: string;
  platformAccountId: string;
  partnerId: string;
  mode: Mode;
  chargeCurrencies: string[];
  paymentInstrumentId: string;
  customerId: string;
  cardLast4: string;
  isActive: boolean;
  /** The processor that is called if no flow routes the charge. */
  processor: ChosenProcessor | null;
  flow: ChargeFlow | null;
  orderId: string | null;
  orderStoreId: string | null;
  orderStatus: string | null;
  orderPaymentId: string | null;
  orderAmount: number | null;
  orderCurrency: string | null;
  subscriptionId: string | null;
  subscriptionStoreId: string | null;
  subscriptionCustomerId: string | null;
  testClockId: string | null;
  testClockNow: Date | null;
}

export interface ChargeFacts extends FactColumns {
  /** The customer's test clock, if it has one. */
  testClock: TestClockTime | null;
}

type ChargeFactRow = { [Name in keyof FactColumns]: FactColumns[Name] | null } & {
  namedProcessorId: string | null;
  namedFlowId: string | null;
};

/** Reads the facts of a charge. Those of charges that arrive together are read by one statement. */
export type ReadFacts = (question: Omit<FactsQuestion, 'at'>) => Promise<ChargeFactRow | undefined>;

export function factsReader(pool: pg.Pool, processorTypes: readonly string[]): ReadFacts {
  return batched(
    async (questions) => {
      const numbered = questions.map((question, at) => ({ ...question, at: String(at) }));
      const rows = await queryRows<ChargeFactRow & { at: string }>(
        pool,
        chargeFactsStatement(numbered, processorTypes),
      );
      const byQuestion = new Map(rows.map((row) => [row.at, row]));
      return numbered.map(({ at }) => byQuestion.get(at));
    },
    { most: questionsMax },
  );
}

const questionsMax = 32;

/** Reads everything a charge depends on. Throws if the charge is not allowed. */
export async function chargeFacts({ services, tenant }: TenantContext, input: ChargeInput): Promise<ChargeFacts> {
  if (tenant.platformAccountId === undefined && input.storeId == null)
    throw storeRequired('is required with a partner key');
  // Errors of the request itself come before errors that depend on rows (docs/errors-and-limits.md, 5).
  const inconsistentFields = inconsistentFieldIssues(input);
  if (inconsistentFields.length > 0) throw new InvalidInput(inconsistentFields);
  const facts = await services.chargeStatements.facts(factsQuestion(tenant, input, services.clock.earliestReal()));
  return requireFacts(facts, input);
}

function requireFacts(facts: ChargeFactRow | undefined, input: ChargeInput): ChargeFacts {
  if (facts?.storeId == null)
    throw input.storeId == null ? storeRequired('is required: the account has several stores') : storeOutOfScope();
  // the store exists, so its account and partner do
  assertMayCharge(facts as ChargingStatus);
  if (facts.paymentInstrumentId === null) throw noSuch('paymentInstrument', input.paymentInstrumentId);
  if (input.processorId != null && facts.namedProcessorId === null) throw noSuch('processor');
  if (input.paymentFlowId != null && facts.namedFlowId === null) throw noSuch('paymentFlow');
  if (input.orderId != null && facts.orderId === null) throw noSuch('order');
  if (input.subscriptionId != null && facts.subscriptionId === null) throw noSuch('subscription');
  const { testClockId, testClockNow } = facts;
  const found = {
    ...facts,
    testClock: testClockId !== null && testClockNow !== null ? { id: testClockId, now: testClockNow } : null,
  } as ChargeFacts; // the store and the instrument exist, so their columns are not null
  const issues = mismatchIssues(found, input);
  if (issues.length > 0) throw new InvalidInput(issues);
  if (!found.isActive) throw new Conflict('invalid_state', 'The payment instrument is inactive.');
  if (
    found.orderId !== null &&
    found.orderStatus !== null &&
    !mayBePaid({ status: found.orderStatus, paymentId: found.orderPaymentId })
  )
    throw orderNotPayable(found.orderStatus);
  return found;
}

export function orderNotPayable(status: string): Conflict {
  return new Conflict(
    'invalid_state',
    status === 'pending' || status === 'failed'
      ? 'Another payment of the order is in progress.'
      : `The order is ${status.replaceAll('_', ' ')}.`,
  );
}

/** Fields that are valid individually but not together. */
function inconsistentFieldIssues(input: ChargeInput): InputIssue[] {
  const issues: InputIssue[] = [];
  if (input.reasonType != null && input.initiatedBy !== 'merchant')
    issues.push({ path: 'reasonType', message: 'is only for charges initiated by the merchant' });
  return issues;
}

/** Fields that do not match the rows they name. */
function mismatchIssues(facts: ChargeFacts, input: ChargeInput): InputIssue[] {
  const issues: InputIssue[] = [];
  if (!facts.chargeCurrencies.includes(input.currency))
    issues.push({
      path: 'currency',
      message: `must be one of the store's charge currencies: ${facts.chargeCurrencies.join(', ')}`,
    });
  if (facts.orderId !== null) {
    if (facts.orderStoreId !== facts.storeId)
      issues.push({ path: 'orderId', message: 'must be an order of the store' });
    if (facts.orderAmount !== input.amount)
      issues.push({ path: 'amount', message: `must match the order: ${facts.orderAmount}` });
    if (facts.orderCurrency !== input.currency)
      issues.push({ path: 'currency', message: `must match the order: ${facts.orderCurrency}` });
  }
  if (
    facts.subscriptionId !== null &&
    (facts.subscriptionStoreId !== facts.storeId || facts.subscriptionCustomerId !== facts.customerId)
  )
    issues.push({
      path: 'subscriptionId',
      message: "must be a subscription of the payment instrument's customer, in this store",
    });
  if (input.customerId != null && input.customerId !== facts.customerId)
    issues.push({ path: 'customerId', message: 'must be the customer of the payment instrument, or be omitted' });
  return issues;
}
