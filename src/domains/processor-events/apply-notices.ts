import pg from 'pg';
import { Conflict } from '../../kit/errors.ts';
import { NoticeEarly, NoticeRefused, type ProcessorNotice } from '../../ports/card-processor.ts';
import type { Services } from '../../services.ts';
import type { RecordedBy } from '../../write/records.ts';
import { receiveDispute } from '../disputes/public.ts';
import { applyAuthorization, applyModification } from '../payments/public.ts';

/** What became of the notices of an event: of several, what needs most attention. */
export interface Applied {
  result: 'ignored' | 'applied' | 'waiting' | 'rejected';
  /** Why the event is rejected or waits. */
  reason: string | null;
  waiting: ProcessorNotice[];
}

/** Applies the notices of an event, each by itself: one that is refused does not stop the others. */
export async function applyNotices(
  services: Services,
  by: RecordedBy,
  processorId: string,
  notices: readonly ProcessorNotice[],
): Promise<Applied> {
  const applied: Applied = { result: 'ignored', reason: null, waiting: [] };
  for (const notice of notices)
    try {
      if ((await apply(services, by, processorId, notice)) && applied.result === 'ignored') applied.result = 'applied';
    } catch (error) {
      const refusal = refusalOf(error);
      if (refusal !== null) {
        applied.result = 'rejected';
        applied.reason = refusal;
      } else if (error instanceof NoticeEarly || error instanceof Conflict) {
        applied.waiting.push(notice);
        if (applied.result !== 'rejected') Object.assign(applied, { result: 'waiting', reason: error.message });
      } else throw error;
    }
  return applied;
}

async function apply(
  services: Services,
  by: RecordedBy,
  processorId: string,
  notice: ProcessorNotice,
): Promise<boolean> {
  switch (notice.about) {
    case 'authorization':
      return applyAuthorization(services, by, processorId, notice);
    case 'dispute':
      if (!(await receiveDispute(services, by, processorId, notice.dispute)))
        throw new NoticeEarly('No charge of this processor has this reference.');
      return true;
    default:
      return applyModification(services, by, processorId, notice);
  }
}

/** The reference of a processor belongs to one transaction. Null if the error is no refusal. */
function refusalOf(error: unknown): string | null {
  if (error instanceof NoticeRefused) return error.reason;
  const isTaken =
    error instanceof pg.DatabaseError &&
    error.code === '23505' &&
    error.constraint === 'transactions_processorReference_processorId_key';
  return isTaken ? 'charge_mismatch' : null;
}
