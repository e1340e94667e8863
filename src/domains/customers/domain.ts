import './schema.ts';
import type { Domain } from '../../domain.ts';

export const customersDomain = {
  name: 'customers',
  reference: {
    title: 'Customers',
    description: 'The people who pay. An email address identifies one customer of a store.',
  },
  idPrefixes: { customer: 'cus_' },
  eventTypes: ['customer/created', 'customer/updated'],
} as const satisfies Domain;
