import type pg from 'pg';
import type { Env } from '../env.ts';
import { newId } from '../kit/ids.ts';
import type { ProcessorConnection } from '../ports/processor-connection.ts';
import { firstUsable, openConnection } from '../processors/operations.ts';
import { closedColumns, settledTransaction } from './charge-statements.ts';
import type { AttemptEnd } from './lifecycle.ts';
import { mayTryAnother } from './policy.ts';
import { assign, statement } from './statement.ts';
import type { PaymentWithTransactions, TransactionRow } from './types.ts';

/** A charge at its next processor, before that is asked. */
export interface NextAttempt {
  state: PaymentWithTransactions;
  connection: ProcessorConnection;
}

/**
 * Goes on to the next processor of the charge's route that is usable now. One statement closes the attempt that ended and opens
 * the next one, before its processor is asked: so there is never a second attempt while another may still hold money, and whoever
 * finds the charge after a crash knows which one to ask about. Null where the charge ends here, or somebody else moved it.
 */
export async function nextAttempt(
  env: Env,
  before: PaymentWithTransactions,
  end: AttemptEnd,
  cardId: string,
): Promise<NextAttempt | null> {
  const { payment, transactions } = before;
  const ended = transactions.at(-1);
  if (payment.cascade === null || !ended || !mayTryAnother(end)) return null;
  const ids = payment.cascade as string[]; // written as such only
  const next = await firstUsable(env, ids, payment.currency);
  if (!next) {
    await env.vault.forgetCvc(cardId);
    return null;
  }
  const now = env.clock.now();
  const rest = ids.slice(ids.indexOf(next.id) + 1);
  const createdAt = new Date(Math.max(now.getTime(), ended.createdAt.getTime() + 1));
  const attempt: TransactionRow = {
    ...ended,
    id: newId('transaction', now),
    status: 'processing',
    processorId: next.id,
    processorType: next.type,
    processorReference: null,
    failureCode: null,
    askedAt: env.clock.real(),
    createdAt,
    updatedAt: now,
  };
  const closed = settledTransaction(ended, end, now);
  const state = {
    payment: { ...payment, processorId: next.id, cascade: rest.length > 0 ? rest : null, updatedAt: now },
    transactions: [...transactions.slice(0, -1), closed, attempt],
  };
  if (!(await commitNextAttempt(env.pool, before, state, closed, attempt))) return null;
  return { state, connection: openConnection(env.config, next) };
}

/** The processor a payment is at names its attempt, since a charge asks none twice. So this is done once, and not to a charge that has ended. */
function commitNextAttempt(
  pool: pg.Pool,
  before: PaymentWithTransactions,
  { payment }: PaymentWithTransactions,
  closed: TransactionRow,
  attempt: TransactionRow,
): Promise<boolean> {
  const { parts, bind, row, commit } = statement();
  parts.push(`moved AS (UPDATE payments t SET ${assign(['processorId', 'cascade', 'updatedAt'])} FROM ${row('payments', payment)}
WHERE t.id = r.id AND t.status = 'pending' AND t."subStatus" = 'processing' AND t.sequence = r.sequence AND t."processorId" = ${bind(before.payment.processorId)} RETURNING t.id)`);
  parts.push(
    `closed AS (UPDATE transactions t SET ${assign(closedColumns)} FROM moved, ${row('transactions', closed)} WHERE t.id = r.id)`,
  );
  parts.push(`attempted AS (INSERT INTO transactions SELECT r.* FROM moved, ${row('transactions', attempt)})`);
  return commit(pool, 'moved');
}
