import ipaddr from 'ipaddr.js';
import type { ApiKeyCaller } from '../auth/caller.ts';
import type { KeyContext } from '../graph/context.ts';
import { ruleFacts, type RuledCharge } from '../block-rules/operations.ts';
import type { TestClockTime } from '../kit/clock.ts';
import { Conflict, Forbidden, type InputIssue, InvalidInput, NotFound } from '../kit/errors.ts';
import type { Mode } from '../kit/mode.ts';
import { noSuchInstrument } from '../instruments/operations.ts';
import { mayBePaid, noSuchOrder } from '../orders/operations.ts';
import type { ChargeFlow } from '../payment-flows/operations.ts';
import { type ChosenProcessor, noSuchProcessor, usableSql } from '../processors/operations.ts';
import { noSuchSubscription } from '../subscriptions/operations.ts';
import { storeOutOfScope, storeRequired } from '../stores/operations.ts';
import type { ProcessPaymentInput } from './schema.ts';

export type ChargeInput = typeof ProcessPaymentInput.$inferInput;

/** What the rows say that a charge depends on. */
interface FactColumns extends RuledCharge {
  storeId: string;
  platformAccountId: string;
  partnerId: string;
  mode: Mode;
  chargeCurrencies: string[];
  accountStatus: string;
  paymentInstrumentId: string;
  customerId: string;
  cardLast4: string;
  isActive: boolean;
  /** The processor that is asked where no flow says otherwise. */
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
  /** The customer's test clock, where it hangs on one. */
  testClock: TestClockTime | null;
}

type FoundFacts = { [Name in keyof FactColumns]: FactColumns[Name] | null } & {
  namedProcessorId: string | null;
  namedFlowId: string | null;
};

/** Reads everything a charge depends on in one statement, and refuses what may not be charged. */
export async function chargeFacts({ env, caller, ip }: KeyContext, input: ChargeInput): Promise<ChargeFacts> {
  if (caller.kind === 'partnerKey' && input.storeId == null) throw storeRequired('is required with a partner key');
  // What is wrong whatever the rows say comes before what the rows say (contract 5).
  const misfits = misfitIssues(input, caller);
  if (misfits.length > 0) throw new InvalidInput(misfits);
  const values = [
    input.storeId ?? null,
    input.paymentInstrumentId,
    input.currency,
    input.processorId ?? null,
    [...env.processors.keys()],
    input.orderId ?? null,
    env.clock.real(),
    shortest(ip),
    input.billingAddress?.country ?? null,
    input.paymentFlowId ?? null,
    input.subscriptionId ?? null,
    ...tenantValues(caller),
  ];
  const { rows } = await env.pool.query<FoundFacts>({ ...statements[caller.kind], values });
  return checked(rows[0], input);
}

function checked(facts: FoundFacts | undefined, input: ChargeInput): ChargeFacts {
  if (facts?.storeId == null)
    throw input.storeId == null ? storeRequired('is required: the account has several stores') : storeOutOfScope();
  if (facts.accountStatus !== 'active')
    throw new Forbidden('account_not_active', 'The account is not active: it cannot charge.');
  if (facts.paymentInstrumentId === null) throw noSuchInstrument();
  if (input.processorId != null && facts.namedProcessorId === null) throw noSuchProcessor();
  if (input.paymentFlowId != null && facts.namedFlowId === null) throw new NotFound('There is no such payment flow.');
  if (input.orderId != null && facts.orderId === null) throw noSuchOrder();
  if (input.subscriptionId != null && facts.subscriptionId === null) throw noSuchSubscription();
  const { testClockId, testClockNow } = facts;
  const found = {
    ...facts,
    testClock: testClockId !== null && testClockNow !== null ? { id: testClockId, now: testClockNow } : null,
  } as ChargeFacts; // store and instrument are there, and with them all that belongs to them
  const issues = meaningIssues(found, input);
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
      ? 'Another payment of the order is under way.'
      : `The order is ${status.replaceAll('_', ' ')}.`,
  );
}

/** Fields that are well formed and do not go together. */
function misfitIssues(input: ChargeInput, caller: ApiKeyCaller): InputIssue[] {
  const issues: InputIssue[] = [];
  if (input.reasonType != null && input.initiatedBy !== 'merchant')
    issues.push({ path: 'reasonType', message: 'is only for charges initiated by the merchant' });
  if (caller.mode === 'live' && input.returnUrl != null && !input.returnUrl.startsWith('https:'))
    issues.push({ path: 'returnUrl', message: 'must be an https address in live mode' });
  return issues;
}

/** What is well formed and yet cannot be meant of these rows. */
function meaningIssues(facts: ChargeFacts, input: ChargeInput): InputIssue[] {
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
      issues.push({ path: 'amount', message: `must be that of the order, ${facts.orderAmount}` });
    if (facts.orderCurrency !== input.currency)
      issues.push({ path: 'currency', message: `must be that of the order, ${facts.orderCurrency}` });
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
    issues.push({ path: 'customerId', message: 'must be the customer of the payment instrument, or be left out' });
  return issues;
}

/** An address as rules spell it. */
function shortest(ip: string): string | null {
  return ipaddr.isValid(ip) ? ipaddr.process(ip).toString() : null;
}

function tenantValues(caller: ApiKeyCaller): string[] {
  return caller.kind === 'subKey' ? [caller.platformAccountId] : [caller.partnerId, caller.mode];
}

const rules = ruleFacts({ now: '$7', ipAddress: '$8', country: '$9' });

const select = (
  tenant: string,
  store: string,
) => `SELECT s.id AS "storeId", s."platformAccountId", s."partnerId", s.mode, s."chargeCurrencies", a.status AS "accountStatus",
  i.id AS "paymentInstrumentId", i."customerId", i."cardId", i.last4 AS "cardLast4", i."isActive", c."emailLower" AS "customerEmailLower",
  p.processor, f.flow, f.id AS "namedFlowId", n.id AS "namedProcessorId",
  o.id AS "orderId", o."storeId" AS "orderStoreId", o.status AS "orderStatus", o."paymentId" AS "orderPaymentId", o.amount AS "orderAmount", o.currency AS "orderCurrency",
  sub.id AS "subscriptionId", sub."storeId" AS "subscriptionStoreId", sub."customerId" AS "subscriptionCustomerId",
  c."testClockId", tc.now AS "testClockNow", ${rules.columns}
FROM (SELECT ${store} AS id) asked
LEFT JOIN stores s ON s.id = asked.id AND ${tenant}
LEFT JOIN processing_accounts a ON a.id = s."platformAccountId"
LEFT JOIN payment_instruments i ON i.id = $2 AND i."platformAccountId" = s."platformAccountId"
LEFT JOIN customers c ON c.id = i."customerId"
LEFT JOIN test_clocks tc ON tc.id = c."testClockId"
LEFT JOIN processors n ON n.id = $4 AND n."platformAccountId" = s."platformAccountId"
LEFT JOIN orders o ON o.id = $6 AND o."platformAccountId" = s."platformAccountId"
LEFT JOIN subscriptions sub ON sub.id = $11 AND sub."platformAccountId" = s."platformAccountId"
${rules.joins}
LEFT JOIN LATERAL (SELECT json_build_object('id', p.id, 'type', p.type, 'options', p.options, 'secrets', p.secrets) AS processor FROM processors p WHERE p."platformAccountId" = s."platformAccountId" AND ($4::text IS NULL OR p.id = $4)
  AND ${usableSql({ types: '$5', currency: '$3' })} ORDER BY p."createdAt", p.id LIMIT 1) p ON true
LEFT JOIN LATERAL (SELECT f.id, CASE WHEN $4::text IS NULL THEN json_build_object('id', f.id, 'strategy', f.strategy, 'maxRetries', f."maxRetries", 'sticky', f.sticky, 'threeDs', f."threeDs") END AS flow
  FROM payment_flows f WHERE f.id = coalesce($10::text, s."paymentFlowId") AND f."platformAccountId" = s."platformAccountId") f ON true`;

const statements = {
  subKey: {
    name: 'charge-facts-of-account',
    text: select(
      's."platformAccountId" = $12',
      'coalesce($1, (SELECT CASE WHEN count(*) = 1 THEN min(o.id) END FROM stores o WHERE o."platformAccountId" = $12))',
    ),
  },
  partnerKey: { name: 'charge-facts-of-partner', text: select('s."partnerId" = $12 AND s.mode = $13', '$1::text') },
} as const;
