import type { KeyContext } from '../../graph/context.ts';
import { Conflict, invalid } from '../../kit/errors.ts';
import type { DisputeStatus } from '../../ports/card-processor.ts';
import { recordedBy } from '../../write/write.ts';
import { atCustomersTime } from '../test-clocks/public.ts';
import type { DisputeRow } from './dispute-records.ts';
import { mayBecome } from './lifecycle.ts';
import { readDispute } from './read-dispute.ts';
import { runOnce } from './run-once.ts';
import { notifyPlatform, requireTestDisputes } from './test-disputes.ts';

/** Advances a dispute of the test processor. A dispute that has the status already is returned unchanged. */
export async function advanceTestDispute(
  context: KeyContext,
  disputeId: string,
  status: Exclude<DisputeStatus, 'needs_response'>,
): Promise<DisputeRow> {
  const { services } = context;
  const disputes = requireTestDisputes(services);
  const refusal = (from: string) =>
    new Conflict(
      'invalid_state',
      `A dispute that is ${from.replaceAll('_', ' ')} cannot become ${status.replaceAll('_', ' ')}.`,
    );
  const { paymentId } = await readDispute(context, disputeId);
  return atCustomersTime(context, { paymentId }, () =>
    runOnce<DisputeRow>(context, 'advanceTestDispute', {
      async check() {
        const dispute = await readDispute(context, disputeId);
        if (dispute.status !== status && !mayBecome(dispute.status as DisputeStatus, status))
          throw refusal(dispute.status); // a CHECK constraint holds the column to the statuses
        return dispute;
      },
      async run(dispute) {
        if (dispute.status === status) return dispute;
        const notice = await disputes.move(dispute.processorReference, status);
        if (!notice) throw invalid('disputeId', 'must be a dispute of a test processor');
        const by = recordedBy(context, services.clock.now());
        const after = await notifyPlatform(services, disputes, by, dispute.processorId, notice);
        if (after.status !== status) throw refusal(after.status);
        return after;
      },
    }),
  );
}
