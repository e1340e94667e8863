import type { Context } from '../../../call/context.ts';
import type { Sql } from '../../../database/sql.ts';
import type { RecordedBy } from '../../../unit-of-work/records.ts';
import { jobWriter, recordedBy, type Writer } from '../../../unit-of-work/write.ts';
import type { PaymentRow } from './rows.ts';

/**
 * A domain that changes with payments. Payments call it and do not import it; the composition root provides it. `guard`
 * names the CTE that must have found a row, so that a payment that did not change changes nothing else.
 */
export interface PaymentFollower {
  /** The conditions on which the charge of a period may begin, by the id of its payment. */
  beginConditions?(paymentId: Sql): Sql[];
  /**
   * CTEs that are part of the statement with the outcomes of charges. `guard` has the ids of the payments that changed.
   */
  outcomeParts(payments: readonly PaymentRow[], guard: string): Sql[];
  /** CTEs that are part of a refund which also cancels the subscription of its payment. */
  cancelParts?(subscriptionId: string, now: Date, guard: string): Sql[];
  /** Does immediately what the committed statement has requested. A failure is logged; the domain's job retries it. */
  follow?(context: Context, payment: PaymentRow): Promise<void>;
}

/** Lets the followers of payments do immediately what the committed statement has requested. */
export async function followPayment(context: Context, payment: PaymentRow): Promise<void> {
  for (const follower of context.services.paymentFollowers) await follower.follow?.(context, payment);
}

/** The job as actor in the records of a change. */
export function recordedByJob(services: Writer['services'], id: string): RecordedBy {
  const now = services.clock.now();
  return recordedBy(jobWriter(services, id, now), now);
}
