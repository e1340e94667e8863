import './schema.ts';
import type { Domain } from '../../domain.ts';

export const eventsDomain = {
  name: 'events',
  reference: { title: 'Events', description: 'Every state change, in order.' },
  idPrefixes: { event: 'evt_', request: 'req_' },
} as const satisfies Domain;
