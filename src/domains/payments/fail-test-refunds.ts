import { queryRow, sql } from '../../database/sql.ts';
import type { ModificationNotice } from '../../ports/card-processor.ts';
import type { TestProcessor, TestRefundFailures } from '../../ports/test-processor.ts';
import { type Due, once, runAtOnce } from '../../runtime/at-once.ts';
import type { Services } from '../../services.ts';
import { atClockTime } from '../test-clocks/public.ts';
import { applyModification } from './apply-notice.ts';
import { recordedByJob } from './recorded-by-job.ts';

/** Fails the due refunds of test cards whose refunds fail, and notifies the platform as a real processor does. */
export async function failTestRefunds(services: Services, stopping: AbortSignal = never): Promise<number> {
  const notices = (await failuresOf(services)?.listUnnotified()) ?? [];
  await runAtOnce<Due & { notice: ModificationNotice; refund: Refund | undefined }>({
    lease: once(await Promise.all(notices.map((notice) => dueOf(services, notice)))),
    run: ({ notice, refund }) => notify(services, notice, refund),
    failed: (error) =>
      services.log.warn({ err: error }, 'The platform could not be notified of a failed test refund yet.'),
    stopping,
  });
  return notices.length;
}

const never = new AbortController().signal;

async function dueOf(services: Services, notice: ModificationNotice) {
  const refund = await refundOf(services, notice);
  const { platformAccountId = null, processorId = null } = refund ?? {};
  return { id: notice.reference ?? '', platformAccountId, processorId, notice, refund };
}

/** The same on a test clock. */
export async function failTestRefundsOn(services: Services, testClockId: string): Promise<number> {
  const notices = (await failuresOf(services)?.failOn(testClockId)) ?? [];
  for (const notice of notices) await notify(services, notice, await refundOf(services, notice));
  return notices.length;
}

export function nextTestRefundFailureOn(services: Services, testClockId: string): Promise<Date | null> {
  return failuresOf(services)?.nextOn(testClockId) ?? Promise.resolve(null);
}

function failuresOf({ processors }: Services): TestRefundFailures | null {
  const processor = processors.get('test');
  // only the test processor has refunds that fail later
  return processor && 'refundFailures' in processor ? (processor as TestProcessor).refundFailures : null;
}

interface Refund {
  platformAccountId: string;
  processorId: string;
  testClockId: string | null;
}

function refundOf({ pool }: Services, { reference }: ModificationNotice): Promise<Refund | undefined> {
  return queryRow<Refund>(
    pool,
    sql`
      SELECT t."platformAccountId", t."processorId", p."testClockId"
      FROM transactions t
      JOIN payments p ON p.id = t."paymentId"
      WHERE t.id = ${reference}`,
  );
}

async function notify(services: Services, notice: ModificationNotice, refund: Refund | undefined): Promise<void> {
  if (refund)
    await atClockTime(services, refund.testClockId, () =>
      applyModification(services, recordedByJob(services, 'fail-test-refunds'), refund.processorId, notice),
    );
  await failuresOf(services)?.markNotified(notice);
}
