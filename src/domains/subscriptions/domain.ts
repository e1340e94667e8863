import './schema.ts';
import type { Domain } from '../../domain.ts';
import type { Job } from '../../jobs/jobs.ts';
import type { Services } from '../../services.ts';
import { subscriptionFollower } from './followers.ts';
import { clockDrivenSubscriptions, runDueSubscriptions } from './periods/run-subscription.ts';

export const subscriptionsDomain = {
  name: 'subscriptions',
  reference: {
    title: 'Subscriptions',
    description: 'Recurring charges of a customer: trials, renewals, retries and changes of price.',
  },
  idPrefixes: { subscription: 'sub_', deferredCharge: 'dch_' },
  eventTypes: [
    'subscription/created',
    'subscription/activated',
    'subscription/updated',
    'subscription/paused',
    'subscription/resumed',
    'subscription/canceled',
    'subscription/cancelScheduled',
    'subscription/pastDue',
    'subscription/actionRequired',
    'subscription/rebillUpcoming',
    'subscription/rebillSucceeded',
    'subscription/rebillDeclined',
  ],
  jobs: (services: Services): Job[] => [
    { name: 'renew-subscriptions', everyMs: 1_000, run: (stopping) => runDueSubscriptions(services, stopping) },
  ],
  clockDriven: clockDrivenSubscriptions,
  followsPayments: subscriptionFollower,
} as const satisfies Domain;
