import { Conflict } from '../../kit/errors.ts';
import { abandonChallenge } from '../payments/public.ts';
import type { ActorContext } from './actor-context.ts';
import { runSubscription } from './run-subscription.ts';

/**
 * An update takes back the change that waits for the answer to a challenge. The challenge is closed first, outside of
 * the transaction, so that nobody pays for a change that is not made.
 */
export class ChallengeToClose extends Error {
  readonly paymentId: string;

  constructor(paymentId: string) {
    super('The challenge of a change must be closed.');
    this.paymentId = paymentId;
  }
}

/**
 * Closes the challenge, and with it removes the pending change. 409 if the payment has, or may have, another outcome.
 */
export async function closeChallenge(by: ActorContext, subscriptionId: string, paymentId: string): Promise<void> {
  const { services } = by;
  const payment = await services.prisma.payment.findUnique({ where: { id: paymentId } });
  if (payment) await abandonChallenge(services, paymentId);
  const after = await services.prisma.payment.findUnique({ where: { id: paymentId }, select: { subStatus: true } });
  if (after?.subStatus !== 'authentication_expired')
    throw new Conflict('invalid_state', 'The payment of the change is under way or made: read the subscription again.');
  await runSubscription(by, subscriptionId);
}
