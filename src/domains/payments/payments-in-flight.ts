import type { PaymentWithTransactions } from './payment-rows.ts';

/** A payment as it was read or written, and the version of its row (`xmin`) at that time. */
export interface VersionedPayment {
  state: PaymentWithTransactions;
  version: string;
}

/**
 * The payments that calls of this process are changing, each as the last statement of one of them has left it. So a
 * call that waited for another is decided on what that one has made of the payment, which is not read again. It may be
 * late, since other processes change payments, too: what is decided on it is written only if the row has that version.
 */
export interface PaymentsInFlight {
  /** Remembers the payment until the returned function is called. */
  enter(paymentId: string): () => void;
  latest(paymentId: string): VersionedPayment | null;
  /** Sets what a statement has made of a payment; null if the row was found to be another one. */
  note(paymentId: string, latest: VersionedPayment | null): void;
}

export function paymentsInFlight(): PaymentsInFlight {
  const entries = new Map<string, { calls: number; latest: VersionedPayment | null }>();
  return {
    enter(paymentId) {
      const entry = entries.get(paymentId) ?? { calls: 0, latest: null };
      entry.calls += 1;
      entries.set(paymentId, entry);
      return () => {
        entry.calls -= 1;
        if (entry.calls === 0) entries.delete(paymentId);
      };
    },
    latest: (paymentId) => entries.get(paymentId)?.latest ?? null,
    note(paymentId, latest) {
      const entry = entries.get(paymentId);
      if (entry) entry.latest = latest;
    },
  };
}
