import type { Services } from '../../services.ts';
import { write } from '../../write/write.ts';
import type { CheckoutView } from './checkout-view.ts';
import { moveSession } from './move-session.ts';
import { readCheckout } from './read-checkout.ts';
import { lockSession } from './session-records.ts';
import { type Visit, type VisitFrom, wrongStepError } from './visit.ts';

/** Applies an event that costs nothing, once per step however often the button is pressed. */
export async function recordCheckoutEvent(
  services: Services,
  from: VisitFrom,
  { context, session, node }: Visit,
  name: string,
  type: string,
): Promise<CheckoutView> {
  await write(context, 'recordCheckoutEvent', async (change) => {
    const locked = await lockSession(change.tx, session.id);
    const pending = await change.tx.payment.count({
      where: { status: 'pending', order: { funnelOrders: { some: { sessionId: session.id, stepId: node.id } } } },
    });
    if (pending > 0) throw wrongStepError('A payment of this step is under way.');
    return moveSession(change, locked, { id: `${name}:${node.id}`, type, data: {}, stepId: node.id });
  });
  return readCheckout(services, from);
}
