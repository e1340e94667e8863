import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import { seededRandom } from '../../support/seeded-random.ts';

/** SIMULATION_SEED replays a failed run. */
export const seed = Number(process.env['SIMULATION_SEED'] ?? Math.floor(Math.random() * 2 ** 31));

const bytes = seededRandom(seed ^ 0x5eed);

/**
 * Derives Node's random bytes, from which the platform's ids are generated, from the seed. A flow chooses by the id of
 * a payment and a switch by that of a transaction, so a run with different ids would not replay. Returns what ends it,
 * for the files that run in this process later.
 */
export function drawIdsFromSeed(): () => void {
  const { randomFillSync } = crypto;
  Object.assign(crypto, {
    randomFillSync(filled: Uint8Array): Uint8Array {
      for (let index = 0; index < filled.length; index++) filled[index] = Math.floor(bytes() * 256);
      return filled;
    },
  });
  syncBuiltinESMExports();
  return () => {
    Object.assign(crypto, { randomFillSync });
    syncBuiltinESMExports();
  };
}

export function below(end: number, random: () => number): number {
  return Math.floor(random() * end);
}

export function pick<T>(of: readonly T[], random: () => number): T {
  const one = of[below(of.length, random)];
  if (one === undefined) throw new Error('There is nothing to pick from.');
  return one;
}

/** Appends, and removes the oldest above a limit. */
export function remember<T>(list: T[], one: T, max: number): void {
  list.push(one);
  if (list.length > max) list.shift();
}
