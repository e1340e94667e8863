import type { Pool } from 'pg';
import { expect } from 'vitest';
import { type EventNow, followStates } from './following.ts';

interface PaymentNow {
  id: string;
  state: string;
  sequence: number;
  amount: number;
  captured: number;
  refunded: number;
  reserved: number;
  disputed: number;
}

interface Rebuilt {
  id: string;
  postings: number[];
  disputes: number;
}

/**
 * The allowed transitions, written independently from contract section 10. Intermediate states may be missed, so each
 * state lists every state that can follow.
 */
const mayBecome: Readonly<Record<string, readonly string[]>> = {
  processing: [
    'captured',
    'authorized',
    'requires_action',
    'declined',
    'processing_error',
    'voided',
    'expired',
    'authentication_expired',
    'partially_refunded',
    'refunded',
  ],
  requires_action: [
    'processing',
    'captured',
    'authorized',
    'declined',
    'processing_error',
    'authentication_expired',
    'partially_refunded',
    'refunded',
  ],
  authorized: ['processing', 'captured', 'voided', 'expired', 'partially_refunded', 'refunded'],
  captured: ['partially_refunded', 'refunded'],
  partially_refunded: ['refunded', 'captured'],
  refunded: ['partially_refunded', 'captured'],
};

export function paymentWatch(pool: Pool) {
  const { seen, follow } = followStates(mayBecome);

  function checkAmounts(
    { id, amount, captured, refunded, reserved, disputed }: PaymentNow,
    rebuilt: Rebuilt | undefined,
  ): void {
    expect(refunded + reserved, `${id}: refunded`).toBeLessThanOrEqual(captured);
    expect(captured, id).toBeLessThanOrEqual(amount);
    // A dispute may be above what is left: what exceeds it is a loss.
    const [merchant = 0, refunds = 0, disputes = 0, losses = 0, receivable = 0] = rebuilt?.postings ?? [];
    expect(refunds + disputes, `${id}: refunds and disputes by the postings`).toBeLessThanOrEqual(captured);
    expect(losses, `${id}: losses`).toBeGreaterThanOrEqual(0);
    expect([merchant, refunds, disputes + losses, receivable], `${id}: rebuilt from its postings`).toEqual([
      0 - captured,
      refunded,
      disputed,
      captured - refunded - disputed,
    ]);
    expect(rebuilt?.disputes, `${id}: rebuilt from its disputes`).toBe(disputed);
  }

  return {
    async check(paymentIds: readonly string[], events: readonly EventNow[]): Promise<void> {
      follow(events, ['payment/refunded', 'payment/refundFailed']);
      const { rows: payments } = await pool.query<PaymentNow>({
        name: 'simulation-payments',
        text: `${everyPayment} WHERE id = ANY($1)`,
        values: [paymentIds],
      });
      const { rows: rebuilt } = await pool.query<Rebuilt>({
        name: 'simulation-rebuilt',
        text: rebuiltFromPostings,
        values: [paymentIds],
      });
      expect(payments).toHaveLength(paymentIds.length);
      for (const payment of payments) {
        const { state, sequence } = seen.get(payment.id) ?? { state: 'none', sequence: 0 };
        // A capture, void or continuation in progress has no event yet.
        if (payment.state !== 'processing') expect(payment.state, payment.id).toBe(state);
        expect(payment.sequence, payment.id).toBe(sequence);
        checkAmounts(
          payment,
          rebuilt.find(({ id }) => id === payment.id),
        );
      }
    },
    async checkAll(): Promise<void> {
      const { rows } = await pool.query<PaymentNow>(everyPayment);
      expect(
        rows.filter(
          ({ id, state, sequence }) =>
            seen.get(id)?.sequence !== sequence || (state !== 'processing' && seen.get(id)?.state !== state),
        ),
      ).toEqual([]);
      expect(rows).toHaveLength(seen.size);
    },
    count: () => seen.size,
  };
}

const everyPayment = `SELECT
    id, coalesce("subStatus", status) AS state, sequence, amount, "capturedAmount" AS captured,
    "refundedAmount" AS refunded, "reservedAmount" AS reserved, "disputedAmount" AS disputed
  FROM payments`;

const rebuiltFromPostings = `SELECT
    p.id,
    ARRAY(
      SELECT coalesce(sum(l.amount), 0)::float8
      FROM unnest(
        ARRAY['merchant_balance', 'refunds', 'disputes', 'dispute_losses', 'processor_receivable']
      ) WITH ORDINALITY a(account, place)
      LEFT JOIN ledger.postings l ON l.account = a.account AND l."paymentId" = p.id
      GROUP BY a.place
      ORDER BY a.place
    ) AS postings,
    (
      SELECT coalesce(sum(d.amount), 0)::float8
      FROM disputes d
      WHERE d."paymentId" = p.id AND d.status <> 'won'
    ) AS disputes
  FROM payments p
  WHERE p.id = ANY($1)`;
