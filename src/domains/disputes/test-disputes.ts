import { queryRow, sql } from '../../database/sql.ts';
import type { DisputeNotice } from '../../ports/card-processor.ts';
import type { TestDisputes, TestProcessor } from '../../ports/test-processor.ts';
import { type Due, once, runAtOnce } from '../../runtime/at-once.ts';
import type { Services } from '../../services.ts';
import type { RecordedBy } from '../../write/records.ts';
import { atClockTime } from '../test-clocks/public.ts';
import type { DisputeRow } from './dispute-records.ts';
import { receiveDispute } from './receive-dispute.ts';

/** Sends each notice at the time of its customer's test clock. The job repeats a notice that fails. */
export async function notifyPlatformOfAll(
  services: Services,
  notices: readonly DisputeNotice[],
  stopping: AbortSignal = never,
): Promise<void> {
  const disputes = testDisputesOf(services);
  if (!disputes) return;
  const found = await Promise.all(
    notices.map(async (notice) => {
      const charged = await findChargeOf(services, notice);
      return charged ? [{ id: notice.processorReference, ...charged, notice }] : [];
    }),
  );
  await runAtOnce<Due & DisputedCharge & { notice: DisputeNotice }>({
    lease: once(found.flat()),
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
  platformAccountId: string;
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
      SELECT t."platformAccountId", t."processorId", p."testClockId"
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
export async function notifyPlatform(
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

export function requireTestDisputes(services: Services): TestDisputes {
  const disputes = testDisputesOf(services);
  if (!disputes) throw new Error('There is no test processor.');
  return disputes;
}
