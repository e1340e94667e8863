import { isHub, isPlatformReader } from '../../auth/roles.ts';
import { type PostingRow, postingsOfPayment } from '../../domains/ledger/public.ts';
import { noSuchPayment, type PaymentWithTransactions } from '../../domains/payments/public.ts';
import type { AuditRow, BlockedCharge, Dispute, Event, Refund } from '../../generated/prisma/client.ts';
import type { SessionContext } from '../../graph/context.ts';
import { readablePartnerId } from './visibility.ts';

/** A payment with everything that belongs to it. Null is what the caller may not read, which differs from none. */
export interface PaymentView extends PaymentWithTransactions {
  partnerId: string;
  refunds: Refund[];
  disputes: Dispute[];
  postings: PostingRow[];
  /** The rule that blocked it; null for a caller who may not know, and where none did. */
  blockedBy: BlockedCharge | null;
  events: Event[] | null;
  auditRows: AuditRow[] | null;
}

/** Far more rows than a payment has. */
const rowsMax = 500;

/** A payment of either mode with everything that belongs to it. 404 if it is not visible to the caller. */
export async function readOperatorPayment(context: SessionContext, paymentId: string): Promise<PaymentView> {
  const { prisma, pool } = context.services;
  const partnerId = await readablePartnerId(context);
  const oldestFirst = { orderBy: [{ createdAt: 'asc' as const }, { id: 'asc' as const }], take: rowsMax };
  const found = await prisma.payment.findFirst({
    where: { id: paymentId, ...(partnerId !== null && { partnerId }) },
    include: { transactions: oldestFirst, refunds: oldestFirst, disputes: oldestFirst, blockedCharge: true },
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
  const { transactions, refunds, disputes, blockedCharge, ...payment } = found;
  const blockedBy = isPlatformReader(context.caller) ? blockedCharge : null;
  const { partnerId: owner } = payment;
  return { partnerId: owner, payment, transactions, refunds, disputes, postings, blockedBy, events, auditRows };
}
