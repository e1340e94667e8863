import './schema.ts';
import type { Domain } from '../../domain.ts';

export const paymentFlowsDomain = {
  name: 'payment-flows',
  reference: {
    title: 'Payment flows',
    description: 'Which processor a charge goes to, and which processors are tried when it fails.',
  },
  idPrefixes: { paymentFlow: 'flow_' },
} as const satisfies Domain;
