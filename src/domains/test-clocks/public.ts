/** What other domains may use of this one. No file of this domain imports it. */

export { advanceTestClock } from './advance-test-clock.ts';
export { noSuchTestClock, testClockOf } from './clock-rows.ts';
export { atClockTime, atCustomersTime, onClock } from './clock-time.ts';
export { createTestClock } from './create-test-clock.ts';
export { listTestClocksWithin } from './list-test-clocks.ts';
export { TestClock, TestClockPage, TestClockStatus } from './types.ts';
