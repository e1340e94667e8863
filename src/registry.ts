import type { ClockDriven, Domain } from './domain.ts';
import { accountsDomain } from './domains/accounts/domain.ts';
import { blockRulesDomain } from './domains/block-rules/domain.ts';
import { cardFieldsDomain } from './domains/card-fields/domain.ts';
import { customersDomain } from './domains/customers/domain.ts';
import { disputesDomain } from './domains/disputes/domain.ts';
import { funnelsDomain } from './domains/funnels/domain.ts';
import { instrumentsDomain } from './domains/instruments/domain.ts';
import { keysDomain } from './domains/keys/domain.ts';
import { ledgerDomain } from './domains/ledger/domain.ts';
import { ordersDomain } from './domains/orders/domain.ts';
import { paymentsDomain } from './domains/payments/domain.ts';
import { pluginsDomain } from './domains/plugins/domain.ts';
import { processorEventsDomain } from './domains/processor-events/domain.ts';
import { processorsDomain } from './domains/processors/domain.ts';
import { productsDomain } from './domains/products/domain.ts';
import { storesDomain } from './domains/stores/domain.ts';
import { subscriptionsDomain } from './domains/subscriptions/domain.ts';
import { testClocksDomain } from './domains/test-clocks/domain.ts';
import { webhooksDomain } from './domains/webhooks/domain.ts';
import { iamDomain } from './iam/domain.ts';
import type { Job } from './jobs/jobs.ts';
import { purgeOldRows } from './jobs/retention.ts';
import { operatorsDomain } from './operators/domain.ts';
import type { Services } from './services.ts';
import { idempotencyRecordsKept } from './unit-of-work/idempotency.ts';

/** Every domain, in the order of the API reference. A new domain is registered only here. */
export const domains = [
  keysDomain,
  accountsDomain,
  storesDomain,
  customersDomain,
  instrumentsDomain,
  cardFieldsDomain,
  paymentsDomain,
  disputesDomain,
  ordersDomain,
  productsDomain,
  subscriptionsDomain,
  ledgerDomain,
  processorEventsDomain,
  blockRulesDomain,
  processorsDomain,
  funnelsDomain,
  pluginsDomain,
  webhooksDomain,
  testClocksDomain,
  iamDomain,
  operatorsDomain,
] as const satisfies readonly Domain[];

type EventTypesOf<D> = D extends { eventTypes: readonly (infer Type)[] } ? Type : never;
/** The type of an event, such as `payment/succeeded`. */
export type EventType = EventTypesOf<(typeof domains)[number]>;

const all: readonly Domain[] = domains;

/** Every type of event. */
export const eventTypes = all.flatMap((domain) => domain.eventTypes ?? []) as EventType[]; // the same list as the type

/** The domains that follow test clocks, in the order in which work that is due at the same time runs. */
export const clockDriven: readonly ClockDriven[] = all.flatMap((domain) => domain.clockDriven ?? []);

/** What changes with payments, so that payments need not import the domains of it. */
export const paymentFollowers = all.flatMap((domain) => domain.followsPayments ?? []);

/** How long rows are kept, in the tables of all domains and of the platform itself. */
export const keeps = [...all.flatMap((domain) => domain.keeps ?? []), idempotencyRecordsKept];

/** The background jobs of all domains, and of the platform itself. */
export function jobsOf(services: Services): Job[] {
  return [
    ...all.flatMap((domain) => domain.jobs?.(services) ?? []),
    { name: 'purge-old-rows', everyMs: 600_000, run: (stopping) => purgeOldRows(services, keeps, stopping) },
  ];
}
