import { builder } from '../../graph/builder.ts';
import type { funnelStepTypes } from './lifecycle.ts';

export const FunnelStepType = builder.enumType('FunnelStepType', {
  description: 'The purpose of a step.',
  values: {
    landing: { description: 'A page that introduces the product. Nothing is paid on it.' },
    checkout: { description: 'A page on which the visitor pays with a card.' },
    offer: { description: 'An offer that is paid with the card that paid before in the session.' },
    upsell: { description: 'An offer of an additional product. Works like `offer`.' },
    downsell: { description: 'An offer of a cheaper product, usually after a declined upsell. Works like `offer`.' },
    thankyou: { description: 'A page that confirms the purchase. Nothing is paid on it.' },
  } satisfies Record<(typeof funnelStepTypes)[number], { description: string }>,
});
