import { noSuchAccount } from '../../domains/accounts/public.ts';
import type { SessionContext } from '../../graph/context.ts';
import { kybViewOf, type OperatorKybView } from './kyb-view.ts';
import { readablePartnerId } from './visibility.ts';

/** The KYB of one account without the sent values. 404 for an account that is not visible to the caller. */
export async function readKyb(context: SessionContext, accountId: string): Promise<OperatorKybView> {
  const partnerId = await readablePartnerId(context);
  const account = await context.services.prisma.processingAccount.findFirst({
    where: { id: accountId, ...(partnerId !== null && { partnerId }) },
  });
  if (!account) throw noSuchAccount();
  return kybViewOf(context, account, { reveal: false });
}
