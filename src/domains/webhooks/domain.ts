import './schema.ts';
import './events/schema.ts';
import type { Domain } from '../../domain.ts';
import type { Job } from '../../jobs/jobs.ts';
import { rewrapColumn } from '../../keys/rewrap.ts';
import type { Services } from '../../services.ts';
import { clockDrivenWebhooks, deliverWebhooks, measureWebhooks } from './deliveries/jobs.ts';
import { purgeDeliveries, releaseFutureDeliveries } from './deliveries/rows.ts';
import { newSecrets, previousSecrets } from './endpoints/signing.ts';

export const webhooksDomain = {
  name: 'webhooks',
  reference: {
    title: 'Webhooks',
    description: 'Endpoints that receive events. Deliveries are signed, and retried until the endpoint answers.',
  },
  rooms: { events: { title: 'Events', description: 'Every state change, in order.' } },
  idPrefixes: { webhookEndpoint: 'wh_', webhookDelivery: 'whd_', event: 'evt_', request: 'req_' },
  jobs: (services: Services): Job[] => [
    { name: 'deliver-webhooks', everyMs: 500, run: (stopping) => deliverWebhooks(services, stopping) },
    { name: 'measure-webhooks', everyMs: 10_000, run: () => measureWebhooks(services) },
    { name: 'release-future-deliveries', everyMs: 600_000, run: () => releaseFutureDeliveries(services) },
    {
      name: 'rewrap-signing-secrets',
      everyMs: 60_000,
      run: async () => (await rewrapColumn(services, newSecrets)) + (await rewrapColumn(services, previousSecrets)),
    },
    { name: 'remove-old-webhook-deliveries', everyMs: 600_000, run: (stopping) => purgeDeliveries(services, stopping) },
  ],
  clockDriven: clockDrivenWebhooks,
} as const satisfies Domain;
