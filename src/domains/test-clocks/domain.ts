import './schema.ts';
import type { Domain } from '../../domain.ts';
import type { Job } from '../../jobs/jobs.ts';
import type { Services } from '../../services.ts';
import { advanceTestClocks } from './jobs.ts';

export const testClocksDomain = {
  name: 'test-clocks',
  reference: {
    title: 'Test clocks',
    description: 'A clock for customers in test mode: a year of renewals in seconds.',
  },
  idPrefixes: { testClock: 'clock_' },
  jobs: (services: Services): Job[] => [
    { name: 'advance-test-clocks', everyMs: 1_000, run: (stopping) => advanceTestClocks(services, stopping) },
  ],
} as const satisfies Domain;
