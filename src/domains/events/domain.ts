import './schema.ts';
import type { Domain } from '../../domain.ts';

export const eventsDomain = {
  name: 'events',
  reference: {
    title: 'Events',
    description: 'Every state change, in order. An installation may move old months to an archive.',
  },
  idPrefixes: { event: 'evt_', request: 'req_' },
} as const satisfies Domain;
