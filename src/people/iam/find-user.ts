import type { SessionContext } from '../../graph/context.ts';
import { invalid } from '../../kit/errors.ts';
import type { UserLookup } from './types.ts';
import { readablePartner } from './user-rows.ts';

/** One user by e-mail address or id. A user who is not visible to the caller is not found. */
export async function findUser(
  context: SessionContext,
  { email, idpUserId }: { email?: string | null | undefined; idpUserId?: string | null | undefined },
): Promise<UserLookup> {
  if ((email == null) === (idpUserId == null))
    throw invalid(
      email == null ? 'email' : 'idpUserId',
      'must be named, or the other of email and idpUserId, and not both',
    );
  const own = await readablePartner(context);
  const name = email != null ? { emailLower: email.toLowerCase() } : { idpUserId: idpUserId ?? '' };
  const user = await context.services.prisma.iamUser.findFirst({
    where: { ...name, deletedAt: null, ...(own !== null && { whitelabelOwnership: own }) },
    orderBy: { createdAt: 'desc' },
  });
  return { found: user !== null, user };
}
