import { queryRows, sql } from '../../database/sql.ts';
import { idsFrom } from '../../lib/ids.ts';
import type { ProcessorRecords, ProcessorRecordsPage, RecordedCharge } from '../../ports/test-processor.ts';
import type { Services } from '../../services.ts';
import type { Difference } from './verify-ledger.ts';

type ComparisonServices = Pick<Services, 'pool' | 'processors'>;

const pageSize = 1_000;

/** One attempt in the ledger, with the amounts of its payment. */
interface LedgerAttempt {
  reference: string;
  processorReference: string | null;
  status: string;
  currency: string;
  amount: number;
  capturedAmount: number;
  refundedAmount: number;
  paymentStatus: string;
  /** Whether the outcome of a transaction of the payment is unknown. */
  isUnresolved: boolean;
}

interface Comparison {
  charges: number;
  unresolved: number;
  differences: Difference[];
}

/**
 * Compares the attempts since a time with the records of the test processor, reference by reference. A difference
 * counts only if a second comparison finds it too, so that a charge in flight is not reported.
 */
export async function compareWithTestProcessor(services: ComparisonServices, since?: Date): Promise<Comparison> {
  const found = await compareOnce(services, since);
  if (found.differences.length === 0) return found;
  const again = new Set(
    (await compareOnce(services, since)).differences.map(({ about, message }) => `${about} ${message}`),
  );
  return { ...found, differences: found.differences.filter(({ about, message }) => again.has(`${about} ${message}`)) };
}

async function compareOnce(services: ComparisonServices, since: Date | undefined): Promise<Comparison> {
  const readProcessorRecords = processorRecordsReader(services);
  const found: Comparison = { charges: 0, unresolved: 0, differences: [] };
  if (!readProcessorRecords) return found;
  for (let after: string | undefined = since ? idsFrom('txn_', since) : ''; after !== undefined; ) {
    const page: ProcessorRecords = await readProcessorRecords({ after, limit: pageSize });
    const attempts = await attemptsBetween(services, after, page.next);
    const ours = new Map(attempts.map((attempt) => [attempt.reference, attempt]));
    for (const theirs of page.charges) {
      const mine = ours.get(theirs.reference);
      ours.delete(theirs.reference);
      found.charges++;
      if (mine?.isUnresolved) found.unresolved++;
      else found.differences.push(...differencesBetween(mine, theirs));
    }
    for (const mine of ours.values())
      if (mine.status === 'succeeded')
        found.differences.push({
          about: mine.reference,
          message: 'approved, and the test processor has no record of it',
        });
    after = page.next ?? undefined;
  }
  return found;
}

/** Only the test processor exposes its records. */
function processorRecordsReader({
  processors,
}: ComparisonServices): ((page: ProcessorRecordsPage) => Promise<ProcessorRecords>) | null {
  const processor = processors.get('test');
  if (!processor || !('processorRecords' in processor)) return null;
  // only the test processor has this method
  return (page) => (processor.processorRecords as (page: ProcessorRecordsPage) => Promise<ProcessorRecords>)(page);
}

/** The attempts in the ledger between two references, as one page of the processor's records contains them. */
function attemptsBetween({ pool }: ComparisonServices, after: string, last: string | null): Promise<LedgerAttempt[]> {
  return queryRows(
    pool,
    sql`
      SELECT
        t.id AS reference, t."processorReference", t.status, t.currency, t.amount, p."capturedAmount", p."refundedAmount", coalesce(p."subStatus", p.status) AS "paymentStatus",
        EXISTS (
          SELECT 1
          FROM transactions o
          WHERE o."paymentId" = p.id AND o.status = 'processing'
        ) AS "isUnresolved"
      FROM transactions t
      JOIN payments p ON p.id = t."paymentId"
      WHERE t."processorType" = 'test' AND t.type IN ('purchase', 'authorization')
        AND t.id COLLATE "C" > ${after}
        AND (${last}::text IS NULL OR t.id COLLATE "C" <= ${last})`,
  );
}

/**
 * The payment statuses that each status of the processor allows. A charge whose challenge expired stays `challenged`
 * at the processor.
 */
const allowedStatuses: Readonly<Record<string, readonly string[]>> = {
  captured: ['captured', 'partially_refunded', 'refunded'],
  authorized: ['authorized', 'expired'],
  voided: ['voided', 'expired'],
  challenged: ['requires_action', 'authentication_expired'],
};

function differencesBetween(ours: LedgerAttempt | undefined, theirs: RecordedCharge): Difference[] {
  if (!ours)
    return [
      {
        about: theirs.reference,
        message: `the test processor has an unknown charge of ${theirs.amount} ${theirs.currency}`,
      },
    ];
  const failedThere = theirs.status === 'declined' || theirs.status === 'error';
  const money = failedThere ? { capturedAmount: 0, refundedAmount: 0 } : ours;
  const differing: string[] = [];
  const compare = (name: string, mine: string | number, other: string | number): void =>
    void (mine !== other && differing.push(`${name} ${mine}, at the processor ${other}`));
  compare('amount', ours.amount, theirs.amount);
  compare('currency', ours.currency, theirs.currency);
  compare('captured', money.capturedAmount, theirs.capturedAmount);
  compare('refunded', money.refundedAmount, theirs.refundedAmount);
  if (ours.processorReference !== null) compare('reference', ours.processorReference, theirs.processorReference);
  // In a cascade the payment's state is that of another attempt: a failed attempt must not have taken money.
  if (!failedThere && theirs.status !== 'challenged' && (ours.status === 'declined' || ours.status === 'failed'))
    differing.push(`attempt ${ours.status}, at the processor ${theirs.status}`);
  if (failedThere ? ours.status === 'succeeded' : !allowedStatuses[theirs.status]?.includes(ours.paymentStatus))
    compare('status', ours.paymentStatus, theirs.status);
  return differing.map((message) => ({ about: theirs.reference, message }));
}
