import type pg from 'pg';
import { recordset, rowsOf } from '../../database/recordset.ts';
import { type Sql, sql } from '../../database/sql.ts';
import type { Turns } from '../../database/together.ts';
import { commitTogether } from '../../write/commit-together.ts';
import { recordPartsOf } from '../../write/records.ts';
import { answersRunning, assign, commitPartsOf } from '../../write/statement.ts';
import { postingsPart } from '../ledger/public.ts';
import { ordersPart } from '../orders/public.ts';
import { storedCharge } from './charge-answer.ts';
import { closedPart } from './closed-transactions.ts';
import type { ChargeOutcome } from './commit-charge-outcome.ts';
import type { PaymentFollower } from './payment-follower.ts';
import { journalEntryOf, paymentEvent } from './payment-records.ts';

/** Commits an outcome. Returns undefined, and writes nothing, if another process has recorded one. */
export type CommitOutcome = (outcome: ChargeOutcome) => Promise<object | undefined>;

export function outcomeCommitter(pool: pg.Pool, followers: readonly PaymentFollower[], turns: Turns): CommitOutcome {
  return commitTogether<ChargeOutcome, { id: string }>(pool, turns, {
    tenantOf: ({ before }) => before.payment.platformAccountId,
    claims: ({ before }) => [before.payment.id],
    mayBeWrittenAlone: () => true,
    write: (outcomes, isShared) =>
      commitPartsOf(
        pool,
        outcomes,
        ({ before }) => before.payment.id,
        outcomeParts(outcomes, followers, isShared),
        'resolved',
      ),
  });
}

const outcomeColumns = {
  status: 'text',
  subStatus: 'text',
  failureCode: 'text',
  failureMessage: 'text',
  capturedAmount: 'bigint',
  requireAction: 'text',
  requireActionData: 'jsonb',
  actionExpiresAt: 'timestamptz',
  authorizationExpiresAt: 'timestamptz',
  processorId: 'text',
  cascade: 'jsonb',
  sequence: 'int',
  updatedAt: 'timestamptz',
};

function outcomeParts(
  outcomes: readonly ChargeOutcome[],
  followers: readonly PaymentFollower[],
  isShared: boolean,
): Sql[] {
  const parts = [
    ...resolvedParts(outcomes, isShared),
    closedPart(
      outcomes.flatMap(({ after }) => after.transactions.slice(-1)),
      'resolved',
    ),
  ];
  const challenges = outcomes.flatMap(({ challenge }) => challenge ?? []);
  if (challenges.length > 0)
    parts.push(sql`challenged AS (
      INSERT INTO threeds_sessions
      SELECT r.*
      FROM resolved
      JOIN ${rowsOf('r', 'threeds_sessions', challenges)} ON r."paymentId" = resolved.id
    )`);
  const journalEntries = outcomes.flatMap(({ by, after: { payment, transactions }, paymentOutcome }) => {
    const transaction = transactions.at(-1);
    if (!paymentOutcome.captured || !transaction) return [];
    return [{ ...journalEntryOf('capture', payment, transaction), createdAt: by.now }];
  });
  if (journalEntries.length > 0) parts.push(postingsPart(journalEntries, 'resolved'));
  const orders = outcomes.flatMap(({ after, order }) =>
    order ? [{ paymentId: after.payment.id, order: order.order }] : [],
  );
  if (orders.length > 0) parts.push(ordersPart(orders, 'resolved'));
  const payments = outcomes.map(({ after }) => after.payment);
  for (const follower of followers) parts.push(...follower.outcomeParts(payments, 'resolved'));
  const changes = outcomes.map(({ by, after: { payment }, paymentOutcome, order }) => ({
    id: payment.id,
    by,
    events: [paymentEvent(paymentOutcome.event, payment), ...(order?.events ?? [])],
  }));
  parts.push(...recordPartsOf(changes, 'resolved'));
  const answers = outcomes.flatMap(({ after, answers: isAwaited }) =>
    isAwaited ? [{ subjectId: after.payment.id, answer: storedCharge(after) }] : [],
  );
  if (answers.length > 0) parts.push(sql`answered AS (${answersRunning(answers, 'resolved')})`);
  return parts;
}

/** The payments, if each is still as it was before. Those of a batch are locked first, since it waits for no row. */
function resolvedParts(outcomes: readonly ChargeOutcome[], isShared: boolean): Sql[] {
  const rows = outcomes.map(({ before, after: { payment } }) => ({
    ...payment,
    before: before.payment.subStatus,
    processorBefore: before.payment.processorId,
  }));
  const columns = { id: 'text', before: 'text', processorBefore: 'text', ...outcomeColumns };
  const isBefore = sql`
    t.id = r.id AND t.status = 'pending' AND t."subStatus" = r.before AND t.sequence = r.sequence - 1
    AND t."processorId" IS NOT DISTINCT FROM r."processorBefore"`;
  const resolved = sql`
    UPDATE payments t
    SET ${assign(Object.keys(outcomeColumns))}`;
  if (!isShared)
    return [
      sql`resolved AS (
        ${resolved}
        FROM ${recordset('r', columns, 'id', rows)}
        WHERE ${isBefore}
        RETURNING t.id
      )`,
    ];
  return [
    sql`ended AS (
      SELECT r.*
      FROM ${recordset('r', columns, 'id', rows)}
      JOIN payments t ON ${isBefore}
      FOR NO KEY UPDATE OF t SKIP LOCKED
    )`,
    sql`resolved AS (
      ${resolved}
      FROM ended r
      WHERE t.id = r.id
      RETURNING t.id
    )`,
  ];
}
