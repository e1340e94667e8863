import type { Sql } from '../../database/sql.ts';
import type { Context } from '../../graph/context.ts';
import type { PaymentRow } from './payment-rows.ts';

/**
 * A domain that changes with payments. Payments call it and do not import it; the composition root hands it in. `guard`
 * names the CTE that must have found a row, so that a payment that did not change changes nothing else.
 */
export interface PaymentFollower {
  /** The conditions on which the charge of a period may begin, by the id of its payment. */
  beginConditions(paymentId: Sql): Sql[];
  /** The CTEs that go with the outcomes of charges, in their statement. `guard` has the ids of those that changed. */
  outcomeParts(payments: readonly PaymentRow[], guard: string): Sql[];
  /** The CTEs that go with a refund which also cancels the subscription of its payment. */
  cancelParts(subscriptionId: string, now: Date, guard: string): Sql[];
  /** Does at once what the committed statement asked for. A failure is logged; the job of the domain repeats it. */
  follow(context: Context, payment: PaymentRow): Promise<void>;
}
