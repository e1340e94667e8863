/** What a session can be. A payment that succeeds after all takes an abandoned one up again. */
export const funnelSessionStatuses = ['active', 'completed', 'abandoned'] as const;
export type FunnelSessionStatus = (typeof funnelSessionStatuses)[number];

export const funnelStepTypes = ['landing', 'checkout', 'offer', 'upsell', 'downsell', 'thankyou'] as const;
export type FunnelStepType = (typeof funnelStepTypes)[number];

/** Steps that offer something to take or to leave, with the card that paid before. */
export const offeringStepTypes: readonly FunnelStepType[] = ['offer', 'upsell', 'downsell'];

export const edgeConditions = [
  'default',
  'payment_succeeded',
  'payment_declined',
  'offer_accepted',
  'offer_declined',
  'expression',
] as const;
export type EdgeConditionWhen = (typeof edgeConditions)[number];

/** Events that tell of money. Nobody is taken at his word about them. */
export const paymentEvents: readonly string[] = ['payment_succeeded', 'payment_declined'];

/** The event a payment of a session's order makes when it has come to `status`; null while it is under way. An offer is accepted by being paid. */
export function eventOfPayment(status: string, kind: 'checkout' | 'offer'): string | null {
  switch (status) {
    case 'succeeded':
    case 'partially_refunded':
    case 'refunded':
      return kind === 'offer' ? 'offer_accepted' : 'payment_succeeded';
    case 'declined':
    case 'failed':
      return 'payment_declined';
    default:
      return null;
  }
}

/** Whether leaving a step by this event counts as its success. */
export function isConversion(eventType: string): boolean {
  return eventType !== 'payment_declined' && eventType !== 'offer_declined';
}
