import './schema.ts';
import type { Domain } from '../../domain.ts';

export const storesDomain = {
  name: 'stores',
  reference: {
    title: 'Stores',
    description: 'Where an account sells, and in which currencies. Every account has one store from the start.',
  },
  idPrefixes: { store: 'store_' },
} as const satisfies Domain;
