import type { Env } from '../env.ts';
import { idsFrom } from '../kit/ids.ts';
import type { FollowUpNotice } from '../ports/card-processor.ts';
import type { BookedCharge, Books, BooksPage } from '../processors/test-books.ts';

/** One thing that is not as it must be, in plain words, and what it is about. */
export interface Difference {
  about: string;
  message: string;
  /** There where the processor's word can be taken over as if it had told us: money that it holds no longer. */
  untold?: Untold;
}

/** What the processor did on its own and we never heard of. */
export interface Untold {
  processorId: string;
  testClockId: string | null;
  notice: FollowUpNotice;
}

type BooksParts = Pick<Env, 'pool' | 'processors'>;

const pageSize = 1_000;

/** One attempt as we have it, with its payment's money. */
interface OurCharge {
  reference: string;
  processorId: string;
  processorReference: string | null;
  testClockId: string | null;
  status: string;
  currency: string;
  amount: number;
  capturedAmount: number;
  refundedAmount: number;
  paymentStatus: string;
  /** Something was asked of the processor and has not been answered. */
  unsettled: boolean;
}

interface Comparison {
  charges: number;
  unsettled: number;
  differences: Difference[];
}

/**
 * Holds our attempts since a moment against the test processor's own books, reference by reference. What differs is looked at
 * twice: a charge that was under way between the two looks at it is no difference.
 */
export async function compareWithTestProcessor(env: BooksParts, since?: Date): Promise<Comparison> {
  const found = await lookOnce(env, since);
  if (found.differences.length === 0) return found;
  const again = new Set((await lookOnce(env, since)).differences.map(({ about, message }) => `${about} ${message}`));
  return { ...found, differences: found.differences.filter(({ about, message }) => again.has(`${about} ${message}`)) };
}

async function lookOnce(env: BooksParts, since: Date | undefined): Promise<Comparison> {
  const readBooks = booksOf(env);
  const found: Comparison = { charges: 0, unsettled: 0, differences: [] };
  for (let after: string | undefined = since ? idsFrom('transaction', since) : ''; readBooks && after !== undefined; ) {
    const page: Books = await readBooks({ after, limit: pageSize });
    const ours = new Map((await ourCharges(env, after, page.next)).map((charge) => [charge.reference, charge]));
    for (const theirs of page.charges) {
      const mine = ours.get(theirs.reference);
      ours.delete(theirs.reference);
      found.charges++;
      if (mine?.unsettled) found.unsettled++;
      else found.differences.push(...differencesBetween(mine, theirs));
    }
    for (const mine of ours.values())
      if (mine.status === 'succeeded')
        found.differences.push({
          about: mine.reference,
          message: 'approved with us, and the test processor has no record of it',
        });
    after = page.next ?? undefined;
  }
  return found;
}

/** Only the built-in processor shows its books. */
function booksOf({ processors }: BooksParts): ((page: BooksPage) => Promise<Books>) | null {
  const processor = processors.get('test');
  if (!processor || !('books' in processor)) return null;
  return (page) => (processor.books as (page: BooksPage) => Promise<Books>)(page); // the one processor that has books is the test processor
}

/** Our attempts in the same stretch of references as a page of theirs. */
async function ourCharges({ pool }: BooksParts, after: string, last: string | null): Promise<OurCharge[]> {
  const { rows } = await pool.query<OurCharge>(
    `SELECT t.id AS reference, t."processorId", t."processorReference", p."testClockId", t.status, t.currency, t.amount, p."capturedAmount", p."refundedAmount", coalesce(p."subStatus", p.status) AS "paymentStatus",
       EXISTS (SELECT 1 FROM transactions o WHERE o."paymentId" = p.id AND o.status = 'processing') AS unsettled
     FROM transactions t JOIN payments p ON p.id = t."paymentId"
     WHERE t."processorType" = 'test' AND t.type IN ('purchase', 'authorization') AND t.id COLLATE "C" > $1 AND ($2::text IS NULL OR t.id COLLATE "C" <= $2)`,
    [after, last],
  );
  return rows;
}

/** The processor's word for a charge in ours. A charge whose challenge ran out stays challenged there. */
const meaning: Readonly<Record<string, readonly string[]>> = {
  captured: ['captured', 'partially_refunded', 'refunded'],
  authorized: ['authorized', 'expired'],
  voided: ['voided', 'expired'],
  challenged: ['requires_action', 'authentication_expired'],
};

function differencesBetween(ours: OurCharge | undefined, theirs: BookedCharge): Difference[] {
  if (!ours)
    return [
      {
        about: theirs.reference,
        message: `the test processor has a charge of ${theirs.amount} ${theirs.currency} that we do not know`,
      },
    ];
  const failedThere = theirs.status === 'declined' || theirs.status === 'error';
  const money = failedThere ? { capturedAmount: 0, refundedAmount: 0 } : ours;
  const differing: string[] = [];
  const compare = (name: string, mine: unknown, other: unknown): void =>
    void (mine !== other && differing.push(`${name} ${mine}, there ${other}`));
  compare('amount', ours.amount, theirs.amount);
  compare('currency', ours.currency, theirs.currency);
  compare('captured', money.capturedAmount, theirs.capturedAmount);
  compare('refunded', money.refundedAmount, theirs.refundedAmount);
  if (ours.processorReference !== null) compare('reference', ours.processorReference, theirs.processorReference);
  // In a cascade the payment's state is that of another attempt: what failed with us must hold nothing there.
  if (!failedThere && theirs.status !== 'challenged' && (ours.status === 'declined' || ours.status === 'failed'))
    differing.push(`attempt ${ours.status}, there ${theirs.status}`);
  if (failedThere ? ours.status === 'succeeded' : !meaning[theirs.status]?.includes(ours.paymentStatus))
    compare('status', ours.paymentStatus, theirs.status);
  const untold = differing.length === 1 ? untoldOf(ours, theirs) : null;
  return differing.map((message) => ({ about: theirs.reference, message, ...(untold && { untold }) }));
}

/** A hold of which nothing differs but that it is over there. A void has no name of its own on those books. */
function untoldOf(ours: OurCharge, theirs: BookedCharge): Untold | null {
  if (theirs.status !== 'voided' || ours.status !== 'succeeded' || ours.paymentStatus !== 'authorized') return null;
  const { processorReference } = theirs;
  const outcome = { result: 'approved', processorReference: `${processorReference}_voided` } as const;
  return {
    processorId: ours.processorId,
    testClockId: ours.testClockId,
    notice: {
      about: 'void',
      authorizationReference: processorReference,
      reference: null,
      amount: ours.amount,
      outcome,
    },
  };
}
