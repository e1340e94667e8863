import type { Pool } from 'pg';
import { expect } from 'vitest';

interface SeenPayment {
  state: string;
  sequence: number;
}

interface PaymentNow {
  id: string;
  state: string;
  sequence: number;
  amount: number;
  captured: number;
  refunded: number;
  reserved: number;
}

interface EventNow {
  objectId: string;
  sequence: number;
  type: string;
  state: string;
}

/** What may be seen after what, written down a second time, as a reader of contract 10 would: steps may be missed, so each state lists all that can come. */
const mayBecome: Readonly<Record<string, readonly string[]>> = {
  processing: ['captured', 'authorized', 'requires_action', 'declined', 'processing_error', 'voided', 'expired', 'authentication_expired', 'partially_refunded', 'refunded'],
  requires_action: ['processing', 'captured', 'authorized', 'declined', 'processing_error', 'authentication_expired', 'partially_refunded', 'refunded'],
  authorized: ['processing', 'captured', 'voided', 'expired', 'partially_refunded', 'refunded'],
  captured: ['partially_refunded', 'refunded'],
  partially_refunded: ['refunded'],
};

/** Remembers what it has seen of every payment, and holds each later sight against it. */
export function watchPayments(pool: Pool, partnerIds: readonly string[]) {
  const seen = new Map<string, SeenPayment>();

  /** Checks what changed since a moment: every change of a payment is an event. */
  async function check(since: Date): Promise<void> {
    const { rows: events } = await pool.query<EventNow>({ name: 'simulation-events', text: eventsSince, values: [since, partnerIds] });
    const { rows: payments } = await pool.query<PaymentNow>({ name: 'simulation-payments', text: paymentsOf, values: [[...new Set(events.map(({ objectId }) => objectId))]] });
    for (const payment of payments) checkPayment(payment, events.filter(({ objectId }) => objectId === payment.id));
    const { rows: uneven } = await pool.query({ name: 'simulation-balances', text: unevenBalances });
    expect(uneven).toEqual([]);
  }

  function checkPayment(payment: PaymentNow, events: EventNow[]): void {
    const before = seen.get(payment.id) ?? { state: 'none', sequence: 0 };
    expect(events.map(({ sequence }) => sequence), `${payment.id}: one event a change, without a gap`).toEqual(events.map((_event, index) => before.sequence + 1 + index));
    let { state } = before;
    for (const event of events) {
      const isRefund = event.type === 'payment/refunded';
      if (state !== 'none' && !(isRefund && state === event.state)) expect(mayBecome[state] ?? [], `${payment.id} from ${state} by ${event.type}`).toContain(event.state);
      ({ state } = event);
    }
    // A capture, void or continuation under way is no event yet.
    if (payment.state !== 'processing') expect(payment.state, payment.id).toBe(state);
    expect(payment.sequence, payment.id).toBe(before.sequence + events.length);
    expect(payment.refunded + payment.reserved, payment.id).toBeLessThanOrEqual(payment.captured);
    expect(payment.captured, payment.id).toBeLessThanOrEqual(payment.amount);
    seen.set(payment.id, { state, sequence: payment.sequence });
  }

  return {
    check,
    /** Looks at all of them, in case one moved without an event. */
    async checkAll(): Promise<void> {
      const { rows } = await pool.query<PaymentNow>(everyPayment);
      expect(rows.filter(({ id, state, sequence }) => seen.get(id)?.sequence !== sequence || (state !== 'processing' && seen.get(id)?.state !== state))).toEqual([]);
      expect(rows).toHaveLength(seen.size);
    },
    count: () => seen.size,
  };
}

const eventsSince = `SELECT "objectId", sequence, type, coalesce(data->'object'->>'subStatus', data->'object'->>'status') AS state FROM events WHERE "createdAt" >= $1 AND "partnerId" = ANY($2) AND mode IN ('test', 'live') AND type LIKE 'payment/%' ORDER BY "objectId", sequence`;

const everyPayment = `SELECT id, coalesce("subStatus", status) AS state, sequence, amount, "capturedAmount" AS captured, "refundedAmount" AS refunded, "reservedAmount" AS reserved FROM payments`;

const paymentsOf = `${everyPayment} WHERE id = ANY($1)`;

const unevenBalances = 'SELECT mode, currency, sum(balance) FROM ledger.balances GROUP BY mode, currency HAVING sum(balance) <> 0';
