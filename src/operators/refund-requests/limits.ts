import { assertAllowed, notFound } from '../../auth/decisions.ts';
import { assertModeServed } from '../../auth/modes.ts';
import type { SessionContext } from '../../call/context.ts';
import { type Queryable, queryRow, queryRows, sql } from '../../database/sql.ts';
import type { RefundLimit } from '../../generated/prisma/client.ts';
import { canAdministerPlatform, runAuditedChange, tellAdmins } from '../../iam/public.ts';
import { type Mode, newId } from '../../lib/ids.ts';

/** A limit with the slug of its partner; null for the limit of all partners that have none of their own. */
export type RefundLimitRow = RefundLimit & { partnerSlug: string | null };

/** How long after a change a higher limit takes effect, so that a user cannot raise one for a refund of their own. */
const raiseDelayMs = 86_400_000;

interface Limit {
  mode: Mode;
  currency: string;
  partnerSlug?: string | null | undefined;
  /** Null removes the limit. */
  amount?: number | null | undefined;
}

type StoredLimit = Pick<RefundLimit, 'amount' | 'previousAmount' | 'effectiveAt' | 'partnerId'>;

/** The amount in force; null for none. `fallback` is that of a limit without an amount of its own. */
function amountInForce(limit: StoredLimit | undefined, now: Date, fallback: number | null = null): number | null {
  if (!limit) return fallback;
  const amount = limit.amount === null ? fallback : Number(limit.amount);
  if (limit.effectiveAt <= now || limit.previousAmount === null) return amount;
  return Math.min(Number(limit.previousAmount), amount ?? Number.POSITIVE_INFINITY);
}

/** The limit for a partner, of its own or that of all partners. */
function limitOf(limits: readonly StoredLimit[], partnerId: string | null, now: Date): number | null {
  const general = amountInForce(
    limits.find((limit) => limit.partnerId === null),
    now,
  );
  const own = partnerId === null ? undefined : limits.find((limit) => limit.partnerId === partnerId);
  return amountInForce(own, now, general);
}

/**
 * Sets the amount from which a refund by a person needs a second person. A higher one, or none, takes effect a day
 * later; a lower one at once. Returns all limits of the mode.
 */
export function setRefundLimit(
  context: SessionContext,
  { mode, currency, partnerSlug = null, amount = null, reason }: Limit & { reason: string },
): Promise<RefundLimitRow[]> {
  const action = 'setRefundLimit';
  const target = [mode, currency, ...(partnerSlug === null ? [] : [partnerSlug])].join(' ');
  return runAuditedChange(context, { action, target, reason }, async ({ tx, now, earliest, audit, afterCommit }) => {
    assertAllowed(canAdministerPlatform(context.caller));
    assertModeServed(context.services.config, mode);
    const partner = partnerSlug === null ? null : await tx.partner.findUnique({ where: { slug: partnerSlug } });
    if (partnerSlug !== null && partner === null) throw notFound('partner_not_found');
    const partnerId = partner?.id ?? null;
    // Two changes of one limit wait for each other.
    await tx.$queryRaw(
      sql`SELECT pg_advisory_xact_lock(hashtextextended(${`refund-limit/${mode}/${currency}`}, 0))::text`,
    );
    const limits = await tx.refundLimit.findMany({ where: { mode, currency } });
    const before = limitOf(limits, partnerId, earliest);
    const next = amount ?? (partnerId === null ? null : limitOf(limits, null, earliest));
    const isRaised = before !== null && (next === null || next > before);
    const values = {
      amount,
      previousAmount: isRaised ? before : null,
      effectiveAt: isRaised ? new Date(now.getTime() + raiseDelayMs) : now,
      updatedAt: now,
    };
    const found = limits.find((limit) => limit.partnerId === partnerId);
    if (found) await tx.refundLimit.update({ where: { id: found.id }, data: values });
    else await tx.refundLimit.create({ data: { id: newId('rlim_', now), mode, currency, partnerId, ...values } });
    const after = { amount, effectiveAt: values.effectiveAt.toISOString(), reason };
    audit({ action, target, before: { amount: before }, after, mode, partnerId });
    afterCommit(() => tellOfLimit(context.services, partner, { mode, currency, amount }));
    return readLimits(tx, mode, null);
  });
}

/** Tells the superadmins, and the admins of a partner whose limit it is. */
function tellOfLimit(
  services: SessionContext['services'],
  partner: { slug: string; name: string } | null,
  { mode, currency, amount }: Pick<Limit, 'mode' | 'currency' | 'amount'>,
): Promise<void> {
  return tellAdmins(services, 'refundLimit', partner, ({ text, money }) => {
    const set = { currency, mode, amount: amount == null ? text('mail.refundLimit.none') : money(amount, currency) };
    return {
      subject: text('mail.refundLimit'),
      lead: partner
        ? text('mail.refundLimit.ofPartner', { ...set, partner: partner.name })
        : text('mail.refundLimit.lead', set),
      action: { label: text('mail.refundLimit.action'), path: `/console/${mode}/refund-requests` },
      notes: [text('mail.audit.note')],
    };
  });
}

/** The limits of a mode: of all partners, or those that concern one. */
export async function readLimits(
  database: Pick<SessionContext['services']['prisma'], 'refundLimit'>,
  mode: string,
  partnerId: string | null,
): Promise<RefundLimitRow[]> {
  const rows = await database.refundLimit.findMany({
    where: { mode, ...(partnerId !== null && { OR: [{ partnerId: null }, { partnerId }] }) },
    include: { partner: { select: { slug: true } } },
    orderBy: [{ currency: 'asc' }, { partnerId: { sort: 'asc', nulls: 'first' } }],
  });
  return rows.map(({ partner, ...row }) => ({ ...row, partnerSlug: partner?.slug ?? null }));
}

/** The amount of a limit that is in force now; null if it sets none. */
export function shownAmount(limit: StoredLimit, now: Date): number | null {
  return amountInForce(limit, now);
}

/** The fields of a payment that its limit depends on. */
interface LimitedPayment {
  id: string;
  partnerId: string;
  mode: string;
  currency: string;
}

/**
 * The largest refund of a payment that a person may make without approval; null if there is no limit for its currency.
 * Earlier refunds of the payment by people count, so that a refund cannot be divided into small ones.
 */
export async function refundableWithoutApproval(
  database: Queryable,
  { id, partnerId, mode, currency }: LimitedPayment,
  now: Date,
): Promise<number | null> {
  const limits = await queryRows<StoredLimit>(
    database,
    sql`
      SELECT l.amount, l."previousAmount", l."effectiveAt", l."partnerId"
      FROM refund_limits l
      WHERE l.mode = ${mode} AND l.currency = ${currency} AND (l."partnerId" IS NULL OR l."partnerId" = ${partnerId})`,
  );
  const limit = limitOf(limits, partnerId, now);
  if (limit === null) return null;
  const row = await queryRow<{ refunded: string }>(
    database,
    sql`
      SELECT coalesce(sum(r.amount) FILTER (WHERE r."requestedBy" IS NOT NULL AND r.status <> 'failed'), 0) AS refunded
      FROM refunds r
      WHERE r."paymentId" = ${id}`,
  );
  return Math.max(0, limit - 1 - Number(row?.refunded ?? 0));
}
