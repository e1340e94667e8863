import type { SessionContext } from '../../graph/context.ts';
import { InvalidInput } from '../../kit/errors.ts';
import type { DirectoryReader } from './partner-facts.ts';

/** How a request names a user of a roster: by exactly one of the three. */
export interface StaffTarget {
  userId?: string | null | undefined;
  email?: string | null | undefined;
  membershipId?: string | null | undefined;
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

/** Whether a request names its own caller: by id, by e-mail address, or by the caller's own membership. */
export async function isSelf(db: DirectoryReader, { caller }: SessionContext, target: StaffTarget): Promise<boolean> {
  if (target.userId != null) return target.userId === caller.userId;
  if (target.email != null) return target.email.toLowerCase() === caller.email.toLowerCase();
  const row = await db.partnerMembership.findUnique({ where: { id: target.membershipId ?? '' } });
  return row !== null && (row.userId === caller.userId || row.emailLower === caller.email.toLowerCase());
}

/** How the audit log names a target that was not found. */
export function targetName(partnerSlug: string, { userId, email, membershipId }: StaffTarget): string {
  return `${partnerSlug}/${userId ?? membershipId ?? email?.toLowerCase()}`;
}
