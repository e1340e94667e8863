import './schema.ts';
import type { ClockDriven, Domain } from '../../domain.ts';
import type { Job } from '../../jobs/jobs.ts';
import type { Services } from '../../services.ts';
import { notifyPlatformOfAll, testDisputesOf } from './test-disputes.ts';

/**
 * Disputes of test cards that dispute every charge: each is opened a few seconds after the charge, by its test clock.
 */
const clockDrivenDisputes: ClockDriven = {
  name: 'disputes',
  async nextDue(services, testClockId) {
    return (await testDisputesOf(services)?.nextOn(testClockId)) ?? null;
  },
  async runDue(services, testClockId) {
    const opened = (await testDisputesOf(services)?.openOn(testClockId)) ?? [];
    await notifyPlatformOfAll(services, async () => opened);
    return opened.length;
  },
};

/**
 * Notifies the platform of disputes of the test processor that it was not notified of: those of test cards that dispute
 * every charge, and those left by a crash.
 */
export function deliverTestDisputes(services: Services, stopping?: AbortSignal): Promise<number> {
  return notifyPlatformOfAll(services, (disputes) => disputes.listUnnotified(), stopping);
}

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
