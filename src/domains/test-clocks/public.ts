/** What other domains may use of this one. No file of this domain imports it. */

export { testClockOf } from './clock-rows.ts';
export { atClockTime, atCustomersTime, onClock } from './clock-time.ts';
export { TestClock } from './types.ts';
