import type { AuditRow, Dispute, Event, Refund } from '../generated/prisma/client.ts';
import { isHub, isPlatformReader } from '../auth/roles.ts';
import type { SessionContext } from '../graph/context.ts';
import { type PostingRow, postingsOfPayment } from '../ledger/operations.ts';
import { noSuchPayment } from '../payments/operations.ts';
import type { PaymentWithTransactions } from '../payments/types.ts';
import { readablePartnerId } from './reach.ts';

/** All there is about one payment. Null is what the person may not see, which is not the same as none. */
export interface PaymentView extends PaymentWithTransactions {
  partnerId: string;
  refunds: Refund[];
  disputes: Dispute[];
  postings: PostingRow[];
  events: Event[] | null;
  auditRows: AuditRow[] | null;
}

/** Far more than a payment has. */
const rowsMax = 500;

/** A payment of either mode with everything that hangs on it; one outside the person's partner is as one that does not exist. */
export async function viewPayment(context: SessionContext, paymentId: string): Promise<PaymentView> {
  const { prisma, pool } = context.env;
  const partnerId = await readablePartnerId(context);
  const oldestFirst = { orderBy: [{ createdAt: 'asc' as const }, { id: 'asc' as const }], take: rowsMax };
  const found = await prisma.payment.findFirst({
    where: { id: paymentId, ...(partnerId !== null && { partnerId }) },
    include: { transactions: oldestFirst, refunds: oldestFirst, disputes: oldestFirst },
  });
  if (!found) throw noSuchPayment();
  const [postings, events, auditRows] = await Promise.all([
    postingsOfPayment(pool, paymentId),
    isPlatformReader(context.caller)
      ? prisma.event.findMany({ where: { objectId: paymentId }, orderBy: { sequence: 'asc' }, take: rowsMax })
      : null,
    isHub(context.caller)
      ? prisma.auditRow.findMany({ where: { target: paymentId }, orderBy: { sequence: 'asc' }, take: rowsMax })
      : null,
  ]);
  const { transactions, refunds, disputes, ...payment } = found;
  return { partnerId: payment.partnerId, payment, transactions, refunds, disputes, postings, events, auditRows };
}
