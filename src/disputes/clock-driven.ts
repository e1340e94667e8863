import type { ClockDriven } from '../kit/clock-driven.ts';
import { disputesOf, tellAll } from './test-disputes.ts';

/** Test cards that dispute every charge, of customers on a test clock: the bank speaks up a few seconds after the charge, by that clock. */
export const clockDrivenDisputes: ClockDriven = {
  name: 'disputes',
  async nextDue(env, testClockId) {
    return (await disputesOf(env)?.nextOn(testClockId)) ?? null;
  },
  async runDue(env, testClockId) {
    const opened = (await disputesOf(env)?.openOn(testClockId)) ?? [];
    await tellAll(env, opened);
    return opened.length;
  },
};
