import './schema.ts';
import type { Domain } from '../../domain.ts';
import type { Job } from '../../jobs/jobs.ts';
import type { Services } from '../../services.ts';
import { followPayments } from './sessions/follow-payments.ts';
import { abandonSessions } from './sessions/rows.ts';

export const funnelsDomain = {
  name: 'funnels',
  reference: {
    title: 'Funnels',
    description: 'The steps of a visitor on the way to a purchase, with figures for each step.',
  },
  idPrefixes: { funnel: 'funnel_', funnelSession: 'fs_' },
  eventTypes: ['funnel/stepEntered', 'funnel/converted'],
  jobs: (services: Services): Job[] => [
    { name: 'follow-funnel-payments', everyMs: 1_000, run: (stopping) => followPayments(services, stopping) },
    { name: 'abandon-funnel-sessions', everyMs: 60_000, run: () => abandonSessions(services) },
  ],
} as const satisfies Domain;
