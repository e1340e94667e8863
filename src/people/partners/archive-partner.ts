import type { Partner } from '../../generated/prisma/client.ts';
import type { SessionContext } from '../../graph/context.ts';
import { assertAllowed, canAdministerPlatform, runChangeAtProvider } from '../iam/public.ts';
import { auditArchive, lockPartner, revokePendingInvitations } from './partner-rows.ts';

export interface ArchiveResult {
  partner: Partner;
  previousStatus: string;
}

/** Archives a partner permanently; its slug stays taken. A repeat answers with `offboarded` as the previous status. */
export function archivePartner(context: SessionContext, id: string): Promise<ArchiveResult> {
  const action = 'archivePartner';
  return runChangeAtProvider(context, { action, target: id }, async (change) => {
    assertAllowed(canAdministerPlatform(context.caller));
    const before = await lockPartner(change, { id });
    await revokePendingInvitations(change, context, before);
    const partner =
      before.status === 'offboarded'
        ? before
        : await change.tx.partner.update({ where: { id }, data: { status: 'offboarded', updatedAt: change.now } });
    auditArchive(change, before);
    return { partner, previousStatus: before.status };
  });
}
