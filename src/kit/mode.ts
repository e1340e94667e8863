/** Test and live are two worlds: a key, an account and all below it belong to exactly one and never leave it (contract 2). */
export const modes = ['test', 'live'] as const;
export type Mode = (typeof modes)[number];
