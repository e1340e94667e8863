import type { DisputeRow } from './dispute-records.ts';

/** A dispute as the API answers it. Reads and events use the same object. */
export interface DisputeObject {
  id: string;
  paymentId: string;
  storeId: string;
  platformAccountId: string;
  processorId: string;
  processorReference: string;
  amount: number;
  currency: string;
  status: string;
  reason: string;
  evidenceDueAt: Date | null;
  closedAt: Date | null;
  livemode: boolean;
  createdAt: Date;
  updatedAt: Date;
}

export function disputeObject(dispute: DisputeRow): DisputeObject {
  return {
    id: dispute.id,
    paymentId: dispute.paymentId,
    storeId: dispute.storeId,
    platformAccountId: dispute.platformAccountId,
    processorId: dispute.processorId,
    processorReference: dispute.processorReference,
    amount: Number(dispute.amount),
    currency: dispute.currency,
    status: dispute.status,
    reason: dispute.reason,
    evidenceDueAt: dispute.evidenceDueAt,
    closedAt: dispute.closedAt,
    livemode: dispute.mode === 'live',
    createdAt: dispute.createdAt,
    updatedAt: dispute.updatedAt,
  };
}
