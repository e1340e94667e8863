import type { Pool } from 'pg';
import { expect } from 'vitest';
import { type EventNow, followStates } from './following.ts';

interface DisputeNow {
  id: string;
  paymentId: string;
  status: string;
  sequence: number;
  amount: number;
  isClosed: boolean;
}

const mayBecome: Readonly<Record<string, readonly string[]>> = {
  needs_response: ['under_review', 'won', 'lost'],
  under_review: ['won', 'lost'],
};

export function disputeWatch(pool: Pool) {
  const { seen, follow } = followStates(mayBecome);
  const began = new Map<string, Pick<DisputeNow, 'paymentId' | 'amount'>>();

  function checkDispute({ id, paymentId, amount, status, sequence, isClosed }: DisputeNow): void {
    expect({ state: status, sequence }, id).toEqual(seen.get(id));
    expect(isClosed, id).toBe(status === 'won' || status === 'lost');
    const before = began.get(id) ?? { paymentId, amount };
    expect({ paymentId, amount }, `${id}: it stays one over the same money`).toEqual(before);
    began.set(id, before);
  }

  return {
    /** Returns the payments whose disputes changed. */
    async check(events: readonly EventNow[]): Promise<string[]> {
      if (events.length === 0) return [];
      follow(events);
      const { rows } = await pool.query<DisputeNow>({
        name: 'simulation-disputes',
        text: `${everyDispute} WHERE id = ANY($1)`,
        values: [[...new Set(events.map(({ objectId }) => objectId))]],
      });
      for (const dispute of rows) checkDispute(dispute);
      return rows.map(({ paymentId }) => paymentId);
    },
    async checkAll(): Promise<void> {
      const { rows } = await pool.query<DisputeNow>(everyDispute);
      for (const dispute of rows) checkDispute(dispute);
      expect(rows).toHaveLength(seen.size);
    },
  };
}

const everyDispute = `SELECT id, "paymentId", status, sequence, amount, "closedAt" IS NOT NULL AS "isClosed"
  FROM disputes`;
