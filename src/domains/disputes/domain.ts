import './schema.ts';
import type { Domain } from '../../domain.ts';
import type { Job } from '../../runtime/jobs.ts';
import type { Services } from '../../services.ts';
import { clockDrivenDisputes } from './clock-driven.ts';
import { deliverTestDisputes } from './jobs.ts';

export const disputesDomain = {
  name: 'disputes',
  reference: {
    title: 'Disputes',
    description: 'Captured money that the bank of the cardholder takes back. In test mode you open disputes yourself.',
  },
  idPrefixes: { dispute: 'dp_' },
  eventTypes: ['dispute/created', 'dispute/updated'],
  jobs: (services: Services): Job[] => [
    { name: 'deliver-test-disputes', everyMs: 5_000, run: (stopping) => deliverTestDisputes(services, stopping) },
  ],
  clockDriven: clockDrivenDisputes,
} as const satisfies Domain;
