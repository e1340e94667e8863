import { queryRow, sql } from '../../database/sql.ts';
import { throughOutage } from '../../database/through-outage.ts';
import type { Services } from '../../services.ts';
import type { RecordedBy } from '../../write/records.ts';
import { type OrderChange, orderAfterPayment } from '../orders/public.ts';
import { challengeFor, paymentAfterOutcome, transactionAfterOutcome } from './charge-outcome-rows.ts';
import type { FailureCode } from './lifecycle.ts';
import { type AttemptEnd, chargeOutcomeOf, mayFollow, type PaymentOutcome } from './payment-outcome.ts';
import type { ChallengeRow, PaymentRow, PaymentWithTransactions } from './payment-rows.ts';

/** What a statement of a charge needs of the services. */
export type ChargeServices = Pick<Services, 'pool' | 'chargeStatements'>;

export interface OutcomeDetails {
  by: RecordedBy;
  /** The address at which the cardholder answers the challenge with this id. */
  challengeUrl(sessionId: string): string;
  /** Whether a call with an idempotency key is waiting for the answer. */
  answers: boolean;
}

/** The rows that the outcome of an attempt changes, before and after it. */
export interface ChargeOutcome {
  by: RecordedBy;
  before: PaymentWithTransactions;
  after: PaymentWithTransactions;
  paymentOutcome: PaymentOutcome;
  challenge: ChallengeRow | null;
  order: OrderChange | null;
  answers: boolean;
}

/**
 * Commits the outcome of an attempt: the states of payment and transaction, the challenge if there is one, the event,
 * and the answer of the call in progress. Returns null, and writes nothing, if another process has recorded an outcome
 * or continued with another processor.
 */
export async function commitOutcome(
  { pool, chargeStatements }: ChargeServices,
  before: PaymentWithTransactions,
  end: AttemptEnd,
  details: OutcomeDetails,
): Promise<PaymentWithTransactions | null> {
  const { by, answers } = details;
  const attempt = before.transactions.at(-1);
  const earlier = before.transactions.findLast(({ status }) => status === 'declined');
  const earlierFailure = (earlier?.failureCode ?? null) as FailureCode | null; // limited by a CHECK constraint
  const type = attempt?.type === 'authorization' ? 'authorization' : 'purchase';
  const paymentOutcome = chargeOutcomeOf(end, type, earlierFailure);
  const deciding = paymentOutcome.status === 'declined' && end.result === 'error' ? earlier : attempt;
  // A job may read the payment after the call has recorded its outcome: an authorization is not recorded again.
  if (!mayFollow(before.payment, paymentOutcome)) return null;
  const challenge =
    end.result === 'challenge' && attempt ? challengeFor(before.payment, attempt, end.url, by.now) : null;
  const payment = paymentAfterOutcome(
    before.payment,
    deciding,
    paymentOutcome,
    challenge && { row: challenge, url: challenge.url ?? details.challengeUrl(challenge.id) },
    by.now,
  );
  const transaction = attempt && transactionAfterOutcome(attempt, end, by.now);
  const after = { payment, transactions: transaction ? [...before.transactions.slice(0, -1), transaction] : [] };
  const isWritten = await throughOutage<boolean>({
    async run() {
      const order = await orderAfterPayment(pool, payment);
      const ended = { by, before, after, paymentOutcome, challenge, order, answers };
      return (await chargeStatements.commitOutcome(ended)) !== undefined;
    },
    done: () => isRecorded(pool, payment),
  });
  return isWritten ? after : null;
}

/** Whether this is the outcome that was recorded, and not that of another process. */
async function isRecorded(pool: Services['pool'], { id, sequence, updatedAt }: PaymentRow): Promise<true | null> {
  const found = await queryRow(
    pool,
    sql`SELECT 1 FROM payments WHERE id = ${id} AND sequence = ${sequence} AND "updatedAt" = ${updatedAt}`,
  );
  return found ? true : null;
}
