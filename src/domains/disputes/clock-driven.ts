import type { ClockDriven } from '../../ports/clock-driven.ts';
import { notifyPlatformOfAll, testDisputesOf } from './test-disputes.ts';

/** Disputes of test cards that dispute every charge: each is opened a few seconds after the charge, by its clock. */
export const clockDrivenDisputes: ClockDriven = {
  name: 'disputes',
  async nextDue(services, testClockId) {
    return (await testDisputesOf(services)?.nextOn(testClockId)) ?? null;
  },
  async runDue(services, testClockId) {
    const opened = (await testDisputesOf(services)?.openOn(testClockId)) ?? [];
    await notifyPlatformOfAll(services, opened);
    return opened.length;
  },
};
