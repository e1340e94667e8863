import { isAdmin } from '../../auth/roles.ts';
import type { SessionContext, TenantContext } from '../../call/context.ts';
import { queryRow, sql } from '../../database/sql.ts';
import { type CommittedWithIntent, type ModificationResult, refundForPerson } from '../../domains/payments/public.ts';
import { actOnBehalf } from '../../graph/by-caller.ts';
import { assertIndependent, assertMay, refusalToDecide, tellAdmins } from '../../iam/public.ts';
import { Conflict, DomainError, InvalidInput } from '../../lib/errors.ts';
import {
  approvedPart,
  assertWaits,
  type Decision,
  findRefundRequest,
  noSuchRefundRequest,
  type RefundRequestRow,
  reasonNotPending,
  requesterOf,
} from './refund-request-rows.ts';

/**
 * Approves a request and makes its refund. Both are committed together, before the processor is called, so that an
 * approved request always has one refund, and a refund that is rejected leaves the request unchanged.
 */
export async function approveRefundRequest(
  context: SessionContext,
  { requestId, reason }: { requestId: string; reason: string },
): Promise<ModificationResult> {
  const { caller } = context;
  const request = await findRefundRequest(context, requestId);
  const target = request?.paymentId ?? requestId;
  const act = { action: 'approveRefundRequest', target, reason, facts: { requestId } };
  const find = async (): Promise<RefundRequestRow> => {
    if (!request) throw noSuchRefundRequest();
    assertMay(refusalToDecide(caller, requesterOf(request)));
    await assertIndependent(context.services, caller, requesterOf(request));
    return request;
  };
  const decision = { decidedBy: caller.userId, decidedByEmail: caller.email, reason };
  return actOnBehalf(context, act, find, async (own) => {
    const made = await refund(own, request as RefundRequestRow, decision);
    // The refund is made: a failed notification does not change the answer.
    if (!own.answer.replayed)
      await tellOfRefund(own, made).catch((error: unknown) =>
        own.services.log.error({ err: error, requestId: request?.id }, 'Admins were not notified of a refund.'),
      );
    return made;
  });
}

/** Tells the admins of the partner and the superadmins of a refund that two people made. */
async function tellOfRefund(
  { services, tenant }: TenantContext,
  { payment, refund: made }: ModificationResult,
): Promise<void> {
  const partner = await services.prisma.partner.findUniqueOrThrow({ where: { id: tenant.partnerId } });
  await tellAdmins(services, 'refund', partner, ({ text, money }) => ({
    subject: text('mail.refund', { partner: partner.name }),
    lead: text('mail.refund.lead', {
      amount: money(made?.amount ?? 0n, payment.currency),
      partner: partner.name,
      mode: tenant.mode,
    }),
    action: { label: text('mail.refund.action'), path: `/console/${tenant.mode}/payments/${payment.id}` },
    notes: [text('mail.audit.note')],
  }));
}

async function refund(own: TenantContext, request: RefundRequestRow, decision: Decision): Promise<ModificationResult> {
  const { id, paymentId, amount, cancelSubscription, requestedBy } = request;
  try {
    return await refundForPerson(
      own,
      { paymentId, amount: Number(amount), cancelSubscription },
      { operation: 'approveRefundRequest', requestedBy, withIntent: approval(own, request, decision) },
    );
  } catch (error) {
    throw await conflictOf(own, id, error);
  }
}

/** Locks the request after its payment, which is the order everywhere. */
function approval({ services }: TenantContext, { id }: RefundRequestRow, decision: Decision): CommittedWithIntent {
  const now = services.clock.real();
  return {
    async assert(client) {
      const row = await queryRow<RefundRequestRow & Partial<RequesterRow>>(
        client,
        sql`
          SELECT r.status, r."expiresAt", u.banned OR u."deletedAt" IS NOT NULL AS "isDisabled",
            u."platformRoles", u."whitelabelOwnership", p.slug AS "partnerSlug"
          FROM refund_requests r
          JOIN partners p ON p.id = r."partnerId"
          LEFT JOIN iam_users u ON u."idpUserId" = r."requestedBy"
          WHERE r.id = ${id}
          FOR NO KEY UPDATE OF r`,
      );
      if (!row) throw noSuchRefundRequest();
      assertWaits(row, services.clock.earliestReal());
      assertStillMayRefund(row);
    },
    parts: ({ refund: made }) => [approvedPart(id, decision, now, made?.id ?? null, 'reserved')],
  };
}

interface RequesterRow {
  /** Null for a user the mirror lacks. */
  isDisabled: boolean | null;
  platformRoles: string[];
  whitelabelOwnership: string | null;
  partnerSlug: string;
}

/** Throws if the requester may no longer refund. */
function assertStillMayRefund({
  isDisabled,
  platformRoles = [],
  whitelabelOwnership = null,
  partnerSlug,
}: Partial<RequesterRow>): void {
  const isOfOther = whitelabelOwnership !== null && whitelabelOwnership !== partnerSlug;
  if (isDisabled !== false || isOfOther || !isAdmin({ platformRoles, whitelabelOwnership }))
    throw new Conflict('invalid_state', 'The requester can no longer refund. Reject the request (invalid_state).');
}

/** Changes of the request or its payment in the meantime are a conflict, since the approver sent no amount. */
async function conflictOf({ services }: TenantContext, requestId: string, error: unknown): Promise<unknown> {
  const isAboutState = error instanceof DomainError && error.data['reason'] === 'invalid_state';
  if (!isAboutState && !(error instanceof InvalidInput)) return error;
  const now = await services.prisma.refundRequest.findUnique({ where: { id: requestId } });
  const end = now && reasonNotPending(now, services.clock.earliestReal());
  if (end) return end;
  return error instanceof InvalidInput
    ? new Conflict('invalid_state', 'The amount exceeds the refundable balance. Reject the request (invalid_state).')
    : error;
}
