import type { Domain } from '../../domain.ts';
import type { Job } from '../../jobs/jobs.ts';
import { type Due, leaseOnce, runDueRows } from '../../jobs/run-due-rows.ts';
import type { Services } from '../../services.ts';
import type { RecordedBy } from '../../unit-of-work/records.ts';
import { compareWithTestProcessor, type Difference, type MissedNotice, storeCheck } from '../ledger/public.ts';
import { applyModification } from '../payments/public.ts';
import { atClockTime } from '../test-clocks/public.ts';

const lookBackMs = 25 * 3_600_000;

/**
 * Compares the attempts of the last day with the processor's records. Unknown outcomes are left to the job that
 * resolves them. An authorization that the processor has released is released in the ledger, as if the processor had
 * notified the platform. Every other difference is logged and counted, for an operator to investigate.
 */
export async function reconcileWithProcessor(services: Services, stopping: AbortSignal = never): Promise<Difference[]> {
  const { differences: found } = await compareWithTestProcessor(
    services,
    new Date(services.clock.now().getTime() - lookBackMs),
  );
  const imported = new Set<MissedNotice>();
  const missed = found.flatMap(({ missedNotice }) => missedNotice ?? []);
  await runDueRows<Due & { missed: MissedNotice }>({
    lease: leaseOnce(missed.map((one, at) => dueOf(one, at))),
    async run({ missed: one }) {
      if (await importMissedNotice(services, one)) imported.add(one);
    },
    failed: (error) => services.log.warn({ err: error }, notImported),
    stopping,
  });
  const differences = found.flatMap(({ missedNotice, ...difference }) =>
    missedNotice && imported.has(missedNotice) ? [] : [difference],
  );
  services.metrics.setReconciliationDifferences(differences.length);
  await storeCheck(services.pool, { kind: 'reconciliation', mode: 'test', at: services.clock.now(), differences });
  for (const difference of differences)
    services.log.error(difference, "The ledger and the processor's records differ.");
  return differences;
}

const never = new AbortController().signal;
const notImported = 'A change made at a processor could not be imported yet.';

function dueOf(missed: MissedNotice, at: number): Due & { missed: MissedNotice } {
  return { id: String(at), platformAccountId: null, processorId: missed.processorId, missed };
}

/** Applies a missed notice like a received one. Returns false if that fails; the next run tries it again. */
function importMissedNotice(services: Services, { processorId, testClockId, notice }: MissedNotice): Promise<boolean> {
  return atClockTime(services, testClockId, async () => {
    const now = services.clock.now();
    const by: RecordedBy = {
      actor: { kind: 'system', id: 'reconcile-with-processor' },
      requestId: `job_reconcile_${now.getTime()}`,
      ip: null,
      now,
      testClockId: services.clock.testClockId,
      auditKeys: services.auditKeys,
    };
    try {
      return await applyModification(services, by, processorId, notice);
    } catch (error) {
      services.log.warn(
        { err: error, processorId, authorizationReference: notice.authorizationReference },
        notImported,
      );
      return false;
    }
  });
}

export const reconciliationDomain = {
  name: 'reconciliation',
  jobs: (services: Services): Job[] => [
    {
      name: 'reconcile-with-processor',
      everyMs: 600_000,
      run: (stopping) => reconcileWithProcessor(services, stopping),
    },
  ],
} as const satisfies Domain;
