import './schema.ts';
import type { Domain } from '../../domain.ts';

export const productsDomain = {
  name: 'products',
  reference: { title: 'Products', description: 'What is sold, at one-time or recurring prices.' },
  idPrefixes: { product: 'prod_', price: 'price_' },
} as const satisfies Domain;
