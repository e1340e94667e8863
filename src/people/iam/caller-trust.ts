import type { SessionCaller } from '../../auth/caller.ts';
import { sql } from '../../database/sql.ts';
import type { Prisma } from '../../generated/prisma/client.ts';
import { NotAuthorized } from '../../kit/errors.ts';
import { forbidden } from './refusals.ts';

/**
 * Refuses a change whose caller has lost a role, the partner or the session since the request was received. Called as
 * the last step of the change, with the caller's row locked: a change that removes a role is answered after the changes
 * made with that role. The row is locked no earlier, since two users who change each other would deadlock.
 */
export async function assertTrustedAtCommit(tx: Prisma.TransactionClient, caller: SessionCaller): Promise<void> {
  await tx.$queryRaw(sql`
    SELECT 1
    FROM iam_users
    WHERE "idpUserId" = ${caller.userId}
    FOR SHARE`);
  await assertStillTrusted(tx, caller);
}

export async function assertStillTrusted(
  tx: Prisma.TransactionClient,
  { userId, sessionId, platformRoles, whitelabelOwnership }: SessionCaller,
): Promise<void> {
  const user = await tx.iamUser.findUnique({ where: { idpUserId: userId } });
  const hasEnded = (await tx.endedSession.count({ where: { sessionId } })) > 0;
  if (!user || user.banned || user.deletedAt !== null || hasEnded)
    throw new NotAuthorized('The session has ended: sign in again.');
  const isAsBefore =
    user.whitelabelOwnership === whitelabelOwnership &&
    platformRoles.every((role) => user.platformRoles.includes(role));
  if (!isAsBefore) throw forbidden('caller_lacks_role', `${platformRoles.join(', ')} until the change is stored`);
}
