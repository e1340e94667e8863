import './schema.ts';
import type { Domain } from '../../domain.ts';
import type { Job } from '../../runtime/jobs.ts';
import type { Services } from '../../services.ts';
import { declineFollower } from './follow-declines.ts';
import { purgeClientSessions } from './purge-client-sessions.ts';

export const cardFieldsDomain = {
  name: 'card-fields',
  reference: {
    title: 'Card fields',
    description:
      "Card fields on the merchant's own page. The server creates a client session, the page mounts the fields with " +
      'its secret, and the page gets a token, never a card number.',
  },
  idPrefixes: { clientSession: 'cs_' },
  jobs: (services: Services): Job[] => [
    { name: 'purge-client-sessions', everyMs: 600_000, run: (stopping) => purgeClientSessions(services, stopping) },
  ],
  follows: { payments: declineFollower },
} as const satisfies Domain;
