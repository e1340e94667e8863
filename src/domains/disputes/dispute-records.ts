import type { EventType } from '../../domains.ts';
import type { Dispute as DisputeRecord } from '../../generated/prisma/client.ts';
import type { EventDraft } from '../../write/records.ts';
import { rowEvent } from '../../write/row-event.ts';
import type { JournalEntry } from '../ledger/public.ts';
import { disputeObject } from './dispute-object.ts';

/** Amounts are numbers in rows of the SQL statements and big integers in rows of Prisma. */
export type DisputeRow = Omit<DisputeRecord, 'amount'> & { amount: number | bigint };

/** The event of a dispute, with the dispute as the API answers it. */
export function disputeEvent(type: EventType, dispute: DisputeRow): EventDraft {
  return rowEvent(type, dispute, disputeObject(dispute));
}

/** The journal entry of a dispute: the amount leaves the balance. The reversed entry returns it. */
export function journalEntryOf(
  kind: 'dispute' | 'foreignDispute',
  { id: movementId, paymentId, platformAccountId, partnerId, mode, currency, amount }: DisputeRow,
): JournalEntry {
  return { kind, movementId, paymentId, platformAccountId, partnerId, mode, currency, amount: Number(amount) };
}
