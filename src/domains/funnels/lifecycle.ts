/** The statuses of a session. A payment that succeeds later resumes an abandoned session. */
export const funnelSessionStatuses = ['active', 'completed', 'abandoned'] as const;
export const funnelStepTypes = ['landing', 'checkout', 'offer', 'upsell', 'downsell', 'thankyou'] as const;
export type FunnelStepType = (typeof funnelStepTypes)[number];

/** Steps with an offer, which is paid with the card that paid before. */
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

/** Events about payments. They are accepted only with the id of a payment, which is checked. */
export const paymentEvents: readonly string[] = ['payment_succeeded', 'payment_declined'];

/**
 * The event of a session for a payment of its order with this status; null while the payment has no final outcome. An
 * offer is accepted by paying it.
 */
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

/** Whether leaving a step by this event counts as a conversion of the step. */
export function isConversion(eventType: string): boolean {
  return eventType !== 'payment_declined' && eventType !== 'offer_declined';
}
