/**
 * Test and live data are separate: a key, an account and all below it belong to one mode and never change it
 * (docs/contract/02-tenancy-modes-ids.md).
 */
export const modes = ['test', 'live'] as const;
export type Mode = (typeof modes)[number];
