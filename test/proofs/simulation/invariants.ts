import type { Pool } from 'pg';
import { expect } from 'vitest';
import { expectDisputeEventsToBeWhole } from '../../support/ledger.ts';
import { attemptWatch, type InvariantContext } from './attempt-invariants.ts';
import { disputeWatch } from './dispute-invariants.ts';
import { type EventNow, type Following, followStates } from './following.ts';
import { paymentWatch } from './payment-invariants.ts';
import { expectOneChargeAPeriod } from './subscription-invariants.ts';

/** Stores what was last seen of every object, and compares each new state with it. */
export function watch(pool: Pool, partnerIds: readonly string[], surroundings: InvariantContext) {
  const [payments, disputes] = [paymentWatch(pool), disputeWatch(pool)];
  const attempts = attemptWatch(pool, surroundings);
  const subscriptions: Following = followStates({});

  /**
   * Checks the changes since a given time: every change has an event, and every call to a processor belongs to a
   * transaction.
   */
  async function check(since: Date): Promise<void> {
    const { rows: events } = await pool.query<EventNow>({
      name: 'simulation-events',
      text: eventsSince,
      values: [since, partnerIds],
    });
    const of = (kind: string) => events.filter(({ type }) => type.startsWith(kind));
    const touched = new Set([
      ...of('payment/').map(({ objectId }) => objectId),
      ...(await disputes.check(of('dispute/'))),
      ...(await attempts.paymentsAsked()),
    ]);
    subscriptions.followSequences(of('subscription/'));
    if (touched.size > 0) {
      await payments.check([...touched], of('payment/'));
      await attempts.check([...touched], new Set(of('payment/').map(({ objectId }) => objectId)));
      await expectOneChargeAPeriod(pool, [...touched]);
    }
    const { rows: uneven } = await pool.query({ name: 'simulation-balances', text: unevenBalances });
    expect(uneven).toEqual([]);
  }

  return {
    check,
    /** Reads all of them, in case one changed without an event. */
    async checkAll(): Promise<void> {
      await payments.checkAll();
      await disputes.checkAll();
      await expectDisputeEventsToBeWhole(pool);
      await expectOneChargeAPeriod(pool, null);
    },
    count: payments.count,
  };
}

const eventsSince = `SELECT
    "objectId", sequence, type,
    coalesce(data->'object'->>'subStatus', data->'object'->>'status') AS state
  FROM events
  WHERE "createdAt" >= $1
    AND "partnerId" = ANY($2)
    AND mode IN ('test', 'live')
    AND type ~ '^(payment|dispute|subscription)/'
  ORDER BY "objectId", sequence`;

const unevenBalances =
  'SELECT mode, currency, sum(balance) FROM ledger.balances GROUP BY mode, currency HAVING sum(balance) <> 0';
