import type { Services } from '../../services.ts';
import type { RecordedBy } from '../../write/records.ts';

/** Names a job of the platform in the records of a change. */
export function recordedByJob({ clock, auditKeys }: Pick<Services, 'clock' | 'auditKeys'>, id: string): RecordedBy {
  const now = clock.now();
  return {
    actor: { kind: 'system', id },
    requestId: `job_${id}_${now.getTime()}`,
    ip: null,
    now,
    testClockId: clock.testClockId,
    auditKeys,
  };
}
