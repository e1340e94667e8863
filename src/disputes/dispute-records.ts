import type { Dispute as DisputeRecord } from '../generated/prisma/client.ts';
import type { EventType } from '../kit/event-types.ts';
import type { Mode } from '../kit/mode.ts';
import type { EventDraft } from '../kit/records.ts';
import type { Movement } from '../ledger/operations.ts';

/** Amounts come as numbers from our own statements and as big integers from Prisma. */
export type DisputeRow = Omit<DisputeRecord, 'amount'> & { amount: number | bigint };

/** The event of a dispute, with the dispute as the API shows it. */
export function disputeEvent(type: EventType, dispute: DisputeRow): EventDraft {
  const { partnerId, mode, sequence, ...shown } = dispute;
  const { platformAccountId, storeId, id: objectId } = dispute;
  return {
    type,
    partnerId,
    platformAccountId,
    mode: mode as Mode,
    storeId,
    objectId,
    sequence,
    object: { ...shown, livemode: mode === 'live' },
  }; // a CHECK constraint holds mode to the two of its account
}

/** The movement of money a dispute makes: away when it is opened, and back when it is won. */
export function movementOf(
  kind: 'disputeOpened' | 'disputeWon',
  { id, paymentId, platformAccountId, partnerId, mode, currency, amount }: DisputeRow,
): Movement {
  return {
    kind,
    movementId: kind === 'disputeOpened' ? id : `${id}:won`,
    paymentId,
    platformAccountId,
    partnerId,
    mode,
    currency,
    amount: Number(amount),
  };
}
