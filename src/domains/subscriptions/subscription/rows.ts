import { type Tenant, tenantCondition } from '../../../auth/tenancy.ts';
import { noSuch } from '../../../auth/visible.ts';
import type { Actor, TenantContext } from '../../../call/context.ts';
import { lockRow } from '../../../database/lock-row.ts';
import { recordset } from '../../../database/recordset.ts';
import { identifier, type Sql, sql } from '../../../database/sql.ts';
import type { Prisma } from '../../../generated/prisma/client.ts';
import { heldMax } from '../../../graph/scalars/amounts.ts';
import { Conflict } from '../../../lib/errors.ts';
import type { EventType } from '../../../registry.ts';
import type { Services } from '../../../services.ts';
import { auditsOnBehalf, type EventDraft, rowEvent } from '../../../unit-of-work/records.ts';
import type { Write } from '../../../unit-of-work/write.ts';
import { type PaymentRow, paymentObject } from '../../payments/public.ts';
import { atClockTime } from '../../test-clocks/public.ts';
import { endDeferred } from '../deferred/deferred-charges.ts';
import type { SubscriptionRow } from '../types.ts';
import { actionKept, billingDateOf, type CancellationReason, dueTimeOf, nextStatus } from './lifecycle.ts';
import { noPendingUpdate, subscriptionObject } from './object.ts';

type SubscriptionEvent = Extract<EventType, `subscription/${string}`>;

/** The event of a subscription, with the subscription and its latest payment as the API returns them. */
function subscriptionEvent(
  type: SubscriptionEvent,
  subscription: SubscriptionRow,
  latestPayment: PaymentRow | null,
): EventDraft {
  const object = subscriptionObject(subscription, latestPayment && paymentObject(latestPayment));
  return rowEvent(type, subscription, object);
}

/** A subscription, locked until the database transaction ends, so that its changes are made in sequence. */
export async function lockSubscription(
  tx: Prisma.TransactionClient,
  tenant: Tenant,
  id: string,
): Promise<SubscriptionRow> {
  const [row] = await tx.$queryRaw<{ id: string }[]>(sql`
    SELECT t.id
    FROM subscriptions t
    WHERE t.id = ${id} AND ${tenantCondition(tenant)}
    FOR NO KEY UPDATE`);
  if (!row) throw noSuch('subscription');
  return tx.subscription.findUniqueOrThrow({ where: { id } });
}

/** A subscription for the job, or null while another database transaction has it locked. */
export async function lockOrSkip(tx: Prisma.TransactionClient, id: string): Promise<SubscriptionRow | null> {
  const locked = await lockRow(tx, 'subscriptions', id, 'NO KEY UPDATE SKIP LOCKED');
  return locked ? tx.subscription.findUniqueOrThrow({ where: { id } }) : null;
}

/** Runs a call at the time of the subscription's test clock, or in real time if the subscription has none. */
export async function atSubscriptionsTime<Result>(
  context: TenantContext,
  subscriptionId: string,
  run: () => Promise<Result>,
): Promise<Result> {
  const { services, tenant } = context;
  if (tenant.mode !== 'test' || services.clock.testClockId !== null) return run();
  const found = await services.prisma.subscription.findFirst({
    where: { ...tenant, id: subscriptionId },
    select: { testClockId: true },
  });
  return atClockTime(services, found?.testClockId ?? null, run);
}

type Changes = Partial<
  Omit<SubscriptionRow, 'id' | 'latestPayment' | 'sequence' | 'updatedAt' | 'nextBillingDate' | 'metadata'>
>;

/**
 * Stores a change and its event: one for a transition, none for what the API does not show. `dueAt`, the time at which
 * the job runs the subscription next, follows from the new state unless the change sets it. 409 if the balance would
 * exceed what is stored exactly, which only a change of price can cause: charges bring it closer to zero.
 */
export async function save(
  { tx, now, event }: Write,
  before: SubscriptionRow,
  changes: Changes,
  type: SubscriptionEvent | null,
): Promise<SubscriptionRow> {
  const after = { ...before, ...changes };
  if (changes.balance !== undefined && Math.abs(Number(changes.balance)) > heldMax)
    throw new Conflict('invalid_state', `The balance of the subscription would be beyond ${heldMax} minor units.`);
  const dueAt =
    'dueAt' in changes ? (changes.dueAt ?? null) : after.chargingSince === null ? dueTimeOf(after) : before.dueAt;
  const data = {
    ...changes,
    nextBillingDate: billingDateOf(after),
    actionReason: actionKept(before, after),
    dueAt,
    ...(type !== null && { sequence: before.sequence + 1, updatedAt: now }),
  };
  const saved = await tx.subscription.update({ where: { id: before.id }, data });
  if (type === null) return saved;
  const latestPayment =
    saved.latestPaymentId === null ? null : await tx.payment.findUnique({ where: { id: saved.latestPaymentId } });
  event(subscriptionEvent(type, saved, latestPayment));
  return saved;
}

/** Adds a subscription and its first event. */
export async function add(change: Write, data: Prisma.SubscriptionUncheckedCreateInput): Promise<SubscriptionRow> {
  return save(change, await change.tx.subscription.create({ data }), {}, 'subscription/created');
}

/** Sets when the job runs the subscription next, which is neither a transition nor shown. */
export async function setDueAt({ tx }: Write, id: string, dueAt: Date | null): Promise<void> {
  await tx.subscription.update({ where: { id }, data: { dueAt } });
}

/** Ends a subscription. A charge in progress is still resolved. */
export async function end(
  change: Write,
  before: SubscriptionRow,
  cancellationReason: CancellationReason,
  changes: Changes = {},
): Promise<SubscriptionRow> {
  if (!nextStatus(before.status, 'canceled'))
    throw new Conflict('invalid_state', 'The subscription is already canceled.');
  await endDeferred(change, before, 'canceled');
  const ended: Changes = {
    ...changes,
    ...noPendingUpdate,
    deferredSince: null,
    status: 'canceled',
    canceledAt: change.now,
    cancellationReason,
    cancelAtPeriodEnd: false,
    cancelRequestedAt: null,
    pausedAt: null,
    resumeAt: null,
    nextRetryAt: null,
  };
  const isCharging = (changes.chargingSince === undefined ? before.chargingSince : changes.chargingSince) !== null;
  return save(change, before, { ...ended, ...(isCharging && { dueAt: change.now }) }, 'subscription/canceled');
}

export function chargeInProgressError({ pendingPaymentId }: SubscriptionRow): Conflict {
  return new Conflict(
    'invalid_state',
    pendingPaymentId === null
      ? 'A charge of the subscription is in progress. Retry after it completes.'
      : `A change of the subscription is awaiting payment ${pendingPaymentId}: continue that payment, or cancel the ` +
          'change by an update to the present price and quantity.',
  );
}

export function wrongState({ status, cancelAtPeriodEnd }: SubscriptionRow, done: string): Conflict {
  const words =
    status !== 'canceled' && status !== 'paused' && cancelAtPeriodEnd
      ? 'to be canceled at the end of its period'
      : status.replaceAll('_', ' ');
  return new Conflict('invalid_state', `A subscription that is ${words} cannot be ${done}.`);
}

/** Adds the audit row of a change that an operator makes to a subscription. */
export function auditChange(
  context: TenantContext,
  change: Write,
  before: SubscriptionRow,
  after: SubscriptionRow,
): void {
  const shown = ({ status, cancelAtPeriodEnd, resumeAt }: SubscriptionRow) => ({ status, cancelAtPeriodEnd, resumeAt });
  for (const audit of auditsOnBehalf(context, before.id, shown(before), shown(after))) change.audit(audit);
}

/** The actor of a change, for its events and audit rows. */
export interface ActorContext {
  services: Services;
  actor: Actor;
  requestId: string;
  ip: string;
  /** As in `Writer`. */
  lockQueue?: string | null;
}

export function writerOf({ services, actor, requestId, ip, lockQueue = null }: ActorContext) {
  return { services, actor, requestId, ip, lockQueue, idempotency: null, answer: { replayed: false } };
}

/**
 * Makes the subscriptions of an account or a partner due that may charge again. Those on test clocks continue when
 * their clock is advanced.
 */
export async function resumeDeferredCharges(
  tx: Prisma.TransactionClient,
  owner: { partnerId: string } | { platformAccountId: string },
): Promise<void> {
  const condition =
    'partnerId' in owner
      ? sql`"partnerId" = ${owner.partnerId}`
      : sql`"platformAccountId" = ${owner.platformAccountId}`;
  await tx.$executeRaw(sql`
    UPDATE subscriptions
    SET "dueAt" = "deferredSince"
    WHERE "deferredSince" IS NOT NULL AND ${condition}`);
}

/** The CTE that makes the subscriptions of these payments due. `guard` names a CTE with the ids of those that ended. */
export function wokenPart(payments: readonly Pick<PaymentRow, 'id' | 'subscriptionId'>[], guard: string): Sql {
  const rows = payments.map(({ id, subscriptionId }) => ({ id, subscriptionId }));
  return sql`subscription_woken AS (
        UPDATE subscriptions t
        SET "dueAt" = t."chargingSince"
        FROM ${identifier(guard)} g
        JOIN ${recordset('r', { id: 'text', subscriptionId: 'text' }, 'id', rows)} ON r.id = g.id
        WHERE t.id = r."subscriptionId" AND t."chargingSince" IS NOT NULL
      )`;
}

/** The CTE that requests the end of a subscription. `guard` names a CTE that must have found a row. */
export function cancelRequestedPart(subscriptionId: string, now: Date, guard: string): Sql {
  return sql`subscription_canceled AS (
      UPDATE subscriptions
      SET "cancelRequestedAt" = ${now}, "dueAt" = ${now}
      WHERE id = ${subscriptionId} AND status <> 'canceled' AND EXISTS (SELECT 1 FROM ${identifier(guard)})
    )`;
}
