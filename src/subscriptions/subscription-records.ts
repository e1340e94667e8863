import { tenantOf, tenantSql } from '../auth/tenancy.ts';
import type { ApiKeyCaller } from '../auth/caller.ts';
import type { Prisma } from '../generated/prisma/client.ts';
import type { KeyContext } from '../graph/context.ts';
import type { EventType } from '../kit/event-types.ts';
import { Conflict, NotFound } from '../kit/errors.ts';
import type { Mode } from '../kit/mode.ts';
import type { EventDraft } from '../kit/records.ts';
import type { Write } from '../kit/write.ts';
import { atClockTime } from '../test-clocks/operations.ts';
import { billingDateOf, type CancellationReason, dueTimeOf, nextStatus } from './lifecycle.ts';
import type { SubscriptionRow } from './types.ts';

export type SubscriptionEvent = Extract<EventType, `subscription/${string}`>;

/** The event of a subscription, with the subscription as the API shows it. */
export function subscriptionEvent(type: SubscriptionEvent, subscription: SubscriptionRow): EventDraft {
  const {
    partnerId,
    mode,
    sequence,
    anchorAt: _anchor,
    cycle: _cycle,
    periodIndex: _period,
    firstFailedAt: _failed,
    nextRetryAt: _retry,
    noticedFor: _noticed,
    chargingSince: _charging,
    cancelRequestedAt: _requested,
    dueAt: _due,
    returnUrl: _return,
    latestPayment: _payment,
    amount,
    balance,
    ...shown
  } = subscription;
  const { platformAccountId, storeId, id: objectId } = subscription;
  const object = { ...shown, amount: Number(amount), balance: Number(balance), livemode: mode === 'live' };
  return { type, partnerId, platformAccountId, mode: mode as Mode, storeId, objectId, sequence, object }; // a CHECK constraint holds mode to the two of its account
}

/** The subscription, locked until the transaction ends: what happens to it happens one after the other. */
export async function lockSubscription(
  tx: Prisma.TransactionClient,
  caller: ApiKeyCaller,
  id: string,
): Promise<SubscriptionRow> {
  const values: unknown[] = [];
  const bind = (value: unknown) => `$${values.push(value)}`;
  const [row] = await tx.$queryRawUnsafe<{ id: string }[]>(
    `SELECT t.id FROM subscriptions t WHERE t.id = ${bind(id)} AND ${tenantSql(caller, bind)} FOR NO KEY UPDATE`,
    ...values,
  );
  if (!row) throw noSuchSubscription();
  return tx.subscription.findUniqueOrThrow({ where: { id } });
}

/** The same for the job, which leaves alone what somebody else has in hand. */
export async function lockUnlessTaken(tx: Prisma.TransactionClient, id: string): Promise<SubscriptionRow | null> {
  const [row] = await tx.$queryRaw<
    { id: string }[]
  >`SELECT id FROM subscriptions WHERE id = ${id} FOR NO KEY UPDATE SKIP LOCKED`;
  return row ? tx.subscription.findUniqueOrThrow({ where: { id } }) : null;
}

/** Runs a key's call at the time of the subscription's test clock, or in real time when it hangs on none. */
export async function atSubscriptionsTime<Result>(
  context: KeyContext,
  subscriptionId: string,
  run: () => Promise<Result>,
): Promise<Result> {
  const { env, caller } = context;
  if (caller.mode !== 'test' || env.clock.testClockId !== null) return run();
  const found = await env.prisma.subscription.findFirst({
    where: { ...tenantOf(caller), id: subscriptionId },
    select: { testClockId: true },
  });
  return atClockTime(env, found?.testClockId ?? null, run);
}

type Changes = Partial<
  Omit<SubscriptionRow, 'id' | 'latestPayment' | 'sequence' | 'updatedAt' | 'nextBillingDate' | 'metadata'>
>;

/** Writes a change and its events, and works out from the new state when there is something to do next, unless the change says so itself. */
export async function save(
  { tx, now, event }: Write,
  before: SubscriptionRow,
  changes: Changes,
  types: readonly SubscriptionEvent[],
): Promise<SubscriptionRow> {
  const after = { ...before, ...changes };
  const dueAt =
    'dueAt' in changes ? (changes.dueAt ?? null) : after.chargingSince === null ? dueTimeOf(after) : before.dueAt;
  const data = {
    ...changes,
    nextBillingDate: billingDateOf(after),
    dueAt,
    sequence: before.sequence + types.length,
    ...(types.length > 0 && { updatedAt: now }),
  };
  const saved = await tx.subscription.update({ where: { id: before.id }, data });
  for (const [index, type] of types.entries())
    event(subscriptionEvent(type, { ...saved, sequence: before.sequence + index + 1 }));
  return saved;
}

/** Ends a subscription. A charge that is under way is followed to its end all the same. */
export function end(
  change: Write,
  before: SubscriptionRow,
  cancellationReason: CancellationReason,
  changes: Changes = {},
  events: readonly SubscriptionEvent[] = [],
): Promise<SubscriptionRow> {
  if (!nextStatus(before.status, 'canceled'))
    throw new Conflict('invalid_state', 'The subscription is canceled already.');
  const ended: Changes = {
    ...changes,
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
  return save(change, before, { ...ended, ...(isCharging && { dueAt: change.now }) }, [
    ...events,
    'subscription/canceled',
  ]);
}

export function noSuchSubscription(): NotFound {
  return new NotFound('There is no such subscription.');
}

export function chargeUnderWay(): Conflict {
  return new Conflict(
    'invalid_state',
    'A charge of the subscription is under way: try again when it is known how it went.',
  );
}
