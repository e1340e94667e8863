import type { Caller } from '../../auth/caller.ts';
import { type PeopleVisibility, tenantWhere } from '../../auth/tenancy.ts';
import { objectVisibilityOf } from '../../auth/visibility.ts';
import type { SessionContext } from '../../call/context.ts';
import { lockRow } from '../../database/lock-row.ts';
import { identifier, type Sql, type SqlRow, sql } from '../../database/sql.ts';
import type { Prisma, RefundRequest } from '../../generated/prisma/client.ts';
import type { Requester } from '../../iam/public.ts';
import { Conflict, NotFound } from '../../lib/errors.ts';
import { newId } from '../../lib/ids.ts';
import { date, is, oneOf } from '../../lists/filters.ts';
import type { DateFilterValue } from '../../lists/inputs.ts';
import { type ListArguments, type ListDefinition, type Page, readList } from '../../lists/read-list.ts';
import type { Write } from '../../unit-of-work/write.ts';

export type RefundRequestStatus = 'pending' | 'approved' | 'rejected' | 'withdrawn' | 'expired';

export type RefundRequestRow = SqlRow<RefundRequest>;

/** How long a request can be decided. Longer than a weekend. */
const validMs = 72 * 3_600_000;

/** People of a partner see what people of the partner asked for, and no requests of internal staff. */
function isOfPartner(caller: Caller): boolean {
  return caller.kind === 'session' && caller.whitelabelOwnership !== null;
}

/** The same as a condition on `t`. */
export function requestsSeenBy(caller: Caller): Sql {
  return isOfPartner(caller) ? sql`t."requestedByPartner"` : sql`true`;
}

/** The request, if it is visible to the caller. */
export async function findRefundRequest(context: SessionContext, requestId: string): Promise<RefundRequestRow | null> {
  const visible = tenantWhere(await objectVisibilityOf(context));
  const ofReader = isOfPartner(context.caller) && { requestedByPartner: true };
  return context.services.prisma.refundRequest.findFirst({ where: { ...visible, ...ofReader, id: requestId } });
}

export function noSuchRefundRequest(): NotFound {
  return new NotFound('Refund request not found.');
}

export function requesterOf({ requestedBy, requestedByEmail }: RefundRequestRow): Requester {
  return { userId: requestedBy, email: requestedByEmail };
}

/** Why a request can no longer be decided; null if it is pending. */
export function reasonNotPending(request: Pick<RefundRequestRow, 'status' | 'expiresAt'>, now: Date): Conflict | null {
  if (request.status !== 'pending')
    return new Conflict('invalid_state', `The request is ${request.status} already (invalid_state).`);
  return request.expiresAt > now ? null : new Conflict('invalid_state', 'The request has expired (invalid_state).');
}

export function assertWaits(request: Pick<RefundRequestRow, 'status' | 'expiresAt'>, now: Date): void {
  const end = reasonNotPending(request, now);
  if (end) throw end;
}

/** The request, locked until the transaction ends. */
export async function lockRefundRequest(tx: Write['tx'], id: string): Promise<RefundRequestRow> {
  await lockRow(tx, 'refund_requests', id);
  return tx.refundRequest.findUniqueOrThrow({ where: { id } });
}

export function addRequest(
  { tx, now }: Pick<Write, 'tx' | 'now'>,
  requested: Omit<Prisma.RefundRequestUncheckedCreateInput, 'id' | 'expiresAt' | 'createdAt' | 'updatedAt'>,
): Promise<RefundRequestRow> {
  const expiresAt = new Date(now.getTime() + validMs);
  return tx.refundRequest.create({
    data: { id: newId('rreq_', now), ...requested, expiresAt, createdAt: now, updatedAt: now },
  });
}

export interface Decision {
  decidedBy: string;
  decidedByEmail: string;
  reason: string;
}

/** The CTE that approves a request. `guard` names a CTE that must have found a row. */
export function approvedPart(
  id: string,
  { decidedBy, decidedByEmail, reason }: Decision,
  now: Date,
  refundId: string | null,
  guard: string,
): Sql {
  return sql`approved AS (
    UPDATE refund_requests r
    SET status = 'approved', "decidedBy" = ${decidedBy}, "decidedByEmail" = ${decidedByEmail},
      "decisionReason" = ${reason}, "decidedAt" = ${now}::timestamptz, "updatedAt" = ${now}::timestamptz,
      "refundId" = ${refundId}
    FROM ${identifier(guard)}
    WHERE r.id = ${id}
  )`;
}

export function decideRequest(
  { tx, now }: Pick<Write, 'tx' | 'now'>,
  id: string,
  status: 'rejected' | 'withdrawn',
  { reason: decisionReason, ...by }: Decision,
): Promise<RefundRequestRow> {
  return tx.refundRequest.update({
    where: { id },
    data: { status, ...by, decisionReason, decidedAt: now, updatedAt: now },
  });
}

/** Ends a request that was not decided in time. Undefined if it was, or still may be. */
export async function expireRequest(tx: Write['tx'], id: string, now: Date): Promise<RefundRequestRow | undefined> {
  const [request] = await tx.refundRequest.updateManyAndReturn({
    where: { id, status: 'pending', expiresAt: { lte: now } },
    data: { status: 'expired', updatedAt: now },
  });
  return request;
}

/** A request as its audit rows show it. */
export function auditedRequest({ id, status, amount, currency }: RefundRequestRow): object {
  return { requestId: id, status, amount: Number(amount), currency };
}

interface Filters {
  status?: readonly string[] | null | undefined;
  platformAccountId?: string | null | undefined;
  paymentId?: string | null | undefined;
  createdAt?: DateFilterValue | null | undefined;
}

const refundRequestList: ListDefinition<Filters> = {
  table: 'refund_requests',
  sorts: { createdAt: 'createdAt' },
  filters: {
    status: oneOf('status'),
    platformAccountId: is('platformAccountId'),
    paymentId: is('paymentId'),
    createdAt: date('createdAt'),
  },
};

/** The refunds that users requested and a second user must approve, newest first. */
export function listRefundRequestsWithin(
  { services, caller }: SessionContext,
  visibility: PeopleVisibility,
  args: ListArguments<Filters>,
): Promise<Page<RefundRequestRow>> {
  return readList(services.pool, visibility, { ...refundRequestList, always: requestsSeenBy(caller) }, args);
}
