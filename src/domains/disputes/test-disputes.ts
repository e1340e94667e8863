import { createHash } from 'node:crypto';
import { visible } from '../../auth/visible.ts';
import type { TenantContext } from '../../call/context.ts';
import { perhapsDoneIfUnavailable } from '../../database/outage-retry.ts';
import { queryRow, sql } from '../../database/sql.ts';
import { type Due, leaseEachOnce, runDueRows } from '../../jobs/run-due-rows.ts';
import { Conflict, invalid } from '../../lib/errors.ts';
import { newId } from '../../lib/ids.ts';
import type { DisputeNotice, DisputeStatus } from '../../ports/card-processor.ts';
import type { TestDisputes, TestProcessor } from '../../ports/test-processor.ts';
import type { Services } from '../../services.ts';
import { isReuse } from '../../unit-of-work/idempotency.ts';
import { runMultiStepCall } from '../../unit-of-work/multi-step-call.ts';
import type { RecordedBy } from '../../unit-of-work/records.ts';
import { recordedBy, recordKeyOf } from '../../unit-of-work/write.ts';
import { disputeAmount, readPayment, requireAllowed } from '../payments/public.ts';
import { atClockTime, atCustomersTime } from '../test-clocks/public.ts';
import type { DisputeRow } from './dispute-change.ts';
import { mayBecome } from './lifecycle.ts';
import { receiveDispute } from './receive-dispute.ts';
import type { OpenTestDisputeInput } from './types.ts';

/** Sends each listed notice at the time of its customer's test clock. The job retries a notice that fails. */
export async function notifyPlatformOfAll(
  services: Services,
  list: (disputes: TestDisputes) => Promise<readonly DisputeNotice[]>,
  stopping: AbortSignal = never,
): Promise<number> {
  const disputes = testDisputesOf(services);
  if (!disputes) return 0;
  return runDueRows<Due & DisputedCharge & { notice: DisputeNotice }>({
    lease: leaseEachOnce(async () => {
      const found = (await list(disputes)).map(async (notice) => {
        const charged = await findChargeOf(services, notice);
        return charged ? [{ id: notice.processorReference, ...charged, notice }] : [];
      });
      return (await Promise.all(found)).flat();
    }),
    run: ({ testClockId, processorId, notice }) =>
      atClockTime(services, testClockId, () => {
        const now = services.clock.now();
        const by: RecordedBy = {
          actor: { kind: 'system', id: 'test-disputes' },
          requestId: `job_test_disputes_${now.getTime()}`,
          ip: null,
          now,
          testClockId: services.clock.testClockId,
          auditKeys: services.auditKeys,
        };
        return notifyPlatform(services, disputes, by, processorId, notice);
      }),
    failed: (error) => services.log.warn({ err: error }, 'The platform could not be notified of a test dispute yet.'),
    stopping,
  });
}

const never = new AbortController().signal;

interface DisputedCharge {
  partnerId: string;
  platformAccountId: string;
  mode: string;
  processorId: string;
  testClockId: string | null;
}

function findChargeOf(
  { pool }: Services,
  { authorizationReference }: DisputeNotice,
): Promise<DisputedCharge | undefined> {
  return queryRow<DisputedCharge>(
    pool,
    sql`
      SELECT t."partnerId", t."platformAccountId", t.mode, t."processorId", p."testClockId"
      FROM transactions t
      JOIN payments p ON p.id = t."paymentId"
      WHERE t."processorReference" = ${authorizationReference} AND t."processorType" = 'test'
      LIMIT 1`,
  );
}

/** Null if the test processor is not enabled. */
export function testDisputesOf({ processors }: Services): TestDisputes | null {
  const processor = processors.get('test');
  // only the test processor can open disputes
  return processor && 'disputes' in processor ? (processor as TestProcessor).disputes : null;
}

/** Records a dispute as reported by the test processor, which then counts the platform as notified. */
async function notifyPlatform(
  services: Services,
  disputes: TestDisputes,
  by: RecordedBy,
  processorId: string,
  notice: DisputeNotice,
): Promise<DisputeRow> {
  const dispute = await receiveDispute(services, by, processorId, notice);
  if (!dispute) throw new Error(`No payment was approved as ${notice.authorizationReference}.`);
  await disputes.markNotified(notice);
  return dispute;
}

function requireTestDisputes(services: Services): TestDisputes {
  const disputes = testDisputesOf(services);
  if (!disputes) throw new Error('There is no test processor.');
  return disputes;
}

/**
 * Runs a call and replays its answer to a repeat. The effect has its own reference and happens once however often it
 * runs, so a call whose process died is run again.
 */
async function runOnce<Checked>(
  context: TenantContext,
  operation: string,
  { check, run }: { check(): Promise<Checked>; run(checked: Checked): Promise<DisputeRow> },
): Promise<DisputeRow> {
  const recordKey = recordKeyOf(context, operation);
  try {
    return await runMultiStepCall(context, recordKey, async () => {
      const checked = await check();
      // The processor may have done it, if something becomes unavailable later.
      return perhapsDoneIfUnavailable(() => run(checked), { hasKey: recordKey !== null });
    });
  } catch (error) {
    // An idempotency conflict has the lowest precedence (docs/errors-and-limits.md, 5): other errors come first.
    if (isReuse(error)) await check();
    throw error;
  }
}

/**
 * Opens a dispute of a test payment. The test processor records the dispute first, under a reference that a repeat of
 * the call uses as well, and then notifies the platform of it, as a real processor does. After a crash in between, the
 * job notifies the platform.
 */
export function openTestDispute(
  context: TenantContext,
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
function referenceOf(context: TenantContext): string | null {
  const recordKey = recordKeyOf(context, 'openTestDispute');
  return (
    recordKey &&
    `call_${createHash('sha256').update(`${recordKey.owner} ${recordKey.operation} ${recordKey.key}`).digest('hex')}`
  );
}

/** Advances a dispute of the test processor. A dispute that already has the status is returned unchanged. */
export async function advanceTestDispute(
  context: TenantContext,
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
  const { paymentId } = await visible(context, 'dispute', disputeId);
  return atCustomersTime(context, { paymentId }, () =>
    runOnce<DisputeRow>(context, 'advanceTestDispute', {
      async check() {
        const dispute = await visible(context, 'dispute', disputeId);
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
