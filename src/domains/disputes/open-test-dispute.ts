import { createHash } from 'node:crypto';
import type { KeyContext } from '../../graph/context.ts';
import { Conflict, invalid } from '../../kit/errors.ts';
import { newId } from '../../kit/ids.ts';
import { recordedBy, recordKeyOf } from '../../write/write.ts';
import { disputeAmount, readPayment, requireAllowed } from '../payments/public.ts';
import { atCustomersTime } from '../test-clocks/public.ts';
import type { DisputeRow } from './dispute-records.ts';
import type { OpenTestDisputeInput } from './inputs.ts';
import { runOnce } from './run-once.ts';
import { notifyPlatform, requireTestDisputes } from './test-disputes.ts';

/**
 * Opens a dispute of a test payment. The test processor records the dispute first, under a reference that a repeat of
 * the call uses as well, and then notifies the platform of it, as a real processor does. If a crash comes between, the
 * job notifies the platform.
 */
export function openTestDispute(
  context: KeyContext,
  input: typeof OpenTestDisputeInput.$inferInput,
): Promise<DisputeRow> {
  const { services } = context;
  const disputes = requireTestDisputes(services);
  const reference = referenceOf(context) ?? newId('dp_', services.clock.now());
  return atCustomersTime(context, { paymentId: input.paymentId }, () =>
    runOnce(context, 'openTestDispute', {
      async check() {
        const { payment, transactions } = await readPayment(context, input.paymentId);
        const earlier = await disputes.find(reference);
        const amount = earlier?.amount ?? requireAllowed(disputeAmount(payment, input.amount ?? null));
        const charge = transactions.find(
          ({ type, status }) => (type === 'purchase' || type === 'authorization') && status === 'succeeded',
        );
        if (charge?.processorType !== 'test' || charge.processorReference === null)
          throw invalid('paymentId', 'must be a payment of a test processor');
        return { amount, processorId: charge.processorId ?? '', authorizationReference: charge.processorReference };
      },
      async run({ amount, processorId, authorizationReference }) {
        const notice = await disputes.open({ reference, authorizationReference, amount, reason: input.reason });
        if (typeof notice === 'string') throw new Conflict('invalid_state', notice);
        return notifyPlatform(services, disputes, recordedBy(context, services.clock.now()), processorId, notice);
      },
    }),
  );
}

/** A reference that is the same for every repeat of a call. Null without an Idempotency-Key. */
function referenceOf(context: KeyContext): string | null {
  const recordKey = recordKeyOf(context, 'openTestDispute');
  return (
    recordKey &&
    `call_${createHash('sha256').update(`${recordKey.owner} ${recordKey.operation} ${recordKey.key}`).digest('hex')}`
  );
}
