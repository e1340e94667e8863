import type { Partner, PartnerMembership } from '../generated/prisma/client.ts';
import type { SessionContext } from '../graph/context.ts';
import { InvalidInput } from '../kit/errors.ts';
import type { Act } from './act.ts';
import { lockPersonByEmail, lockPersonById, type Reader } from './people.ts';
import { canManagePartnerStaff, type StaffAction } from './policy.ts';
import { assertAllowed, notFound } from './refusals.ts';
import { callersPartner } from './people.ts';
import type { IdpUser } from '../ports/identity-provider.ts';

/** How a request names somebody on a roster: exactly one of the three. */
export interface StaffTarget {
  userId?: string | null | undefined;
  email?: string | null | undefined;
  membershipId?: string | null | undefined;
}

/** Somebody on a roster: their row, their account, or both. Locked until the transaction ends. */
export interface Teammate {
  membership: PartnerMembership | null;
  user: IdpUser | null;
}

export function assertOneTarget(target: StaffTarget): void {
  const named = [target.userId, target.email, target.membershipId].filter((value) => value != null);
  if (named.length === 1) return;
  const message =
    named.length === 0
      ? 'is required: name exactly one of userId, email and membershipId'
      : 'must not stand together with another: name exactly one of userId, email and membershipId';
  const paths = (['userId', 'email', 'membershipId'] as const).filter(
    (path) => named.length === 0 || target[path] != null,
  );
  throw new InvalidInput(paths.map((path) => ({ path, message })));
}

/** The gate of the staff endpoints, and behind it the partner; 403 before 404. */
export async function gate(
  act: Act,
  context: SessionContext,
  partnerSlug: string,
  action: StaffAction,
  isSelf: boolean,
): Promise<Partner> {
  const { caller } = context;
  const own = await callersPartner(act.tx, context);
  assertAllowed(
    canManagePartnerStaff(caller, partnerSlug, own, { action, targetUserId: isSelf ? caller.userId : null }),
  );
  // Shared with other staff changes, so that only an archiving waits for them.
  await act.tx.$queryRaw`SELECT id FROM partners WHERE slug = ${partnerSlug} FOR SHARE`;
  const partner = await act.tx.partner.findUnique({ where: { slug: partnerSlug } });
  if (!partner) throw notFound('partner_not_found');
  return partner;
}

/** Whether a request names its own caller, by id, by e-mail, or by the caller's own row. */
export async function isSelf(db: Reader, { caller }: SessionContext, target: StaffTarget): Promise<boolean> {
  if (target.userId != null) return target.userId === caller.userId;
  if (target.email != null) return target.email.toLowerCase() === caller.email.toLowerCase();
  const row = await db.partnerMembership.findUnique({ where: { id: target.membershipId ?? '' } });
  return row !== null && (row.userId === caller.userId || row.emailLower === caller.email.toLowerCase());
}

/** The person on this roster, or 404: somebody of another roster does not exist here. */
export async function lockTeammate(
  act: Act,
  context: SessionContext,
  partner: Partner,
  target: StaffTarget,
): Promise<Teammate> {
  const { env } = context;
  let user: IdpUser | null;
  let email: string;
  if (target.userId != null) {
    user = await lockPersonById(act, env, target.userId);
    if (!user) throw notFound('target_not_found');
    email = user.email;
  } else {
    const row =
      target.membershipId == null
        ? null
        : await act.tx.partnerMembership.findFirst({ where: { id: target.membershipId, partnerId: partner.id } });
    const named = target.email ?? row?.email;
    if (named === undefined) throw notFound('target_not_found');
    email = named;
    user = await lockPersonByEmail(act, env, email);
  }
  const membership = await findMembership(act.tx, partner.id, email, user?.id);
  if (user?.whitelabelOwnership !== partner.slug && !membership) throw notFound('target_not_found');
  return { membership, user };
}

/** A person's row on a roster; by account first, since an e-mail may have changed since the invitation. */
export async function findMembership(
  db: Reader,
  partnerId: string,
  email: string,
  userId: string | undefined,
): Promise<PartnerMembership | null> {
  const byUser = userId === undefined ? null : await db.partnerMembership.findFirst({ where: { partnerId, userId } });
  return (
    byUser ??
    db.partnerMembership.findUnique({ where: { partnerId_emailLower: { partnerId, emailLower: email.toLowerCase() } } })
  );
}

/** The row as the audit log shows it. */
export function membershipObject({ emailLower: _emailLower, ...membership }: PartnerMembership): object {
  return membership;
}
