import type { Context } from '../../graph/context.ts';
import type { PaymentRow } from './payment-rows.ts';

/** Lets the followers of payments do at once what the committed statement has requested. */
export async function followPayment(context: Context, payment: PaymentRow): Promise<void> {
  for (const follower of context.services.followers.payments) await follower.follow(context, payment);
}
