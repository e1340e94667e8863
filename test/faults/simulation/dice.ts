import { seededRandom } from '../../support/seeded-random.ts';

/** SIMULATION_SEED replays a run that failed. */
export const seed = Number(process.env['SIMULATION_SEED'] ?? Math.floor(Math.random() * 2 ** 31));

const bytes = seededRandom(seed ^ 0x5eed);

/**
 * Where the platform's ids come from during a run. A flow picks by the id of a payment and a switch hits by that of a
 * transaction, so a run whose ids differed would not replay.
 */
export function fillFromSeed<Filled extends Uint8Array>(filled: Filled): Filled {
  for (let index = 0; index < filled.length; index++) filled[index] = Math.floor(bytes() * 256);
  return filled;
}

export function below(end: number, random: () => number): number {
  return Math.floor(random() * end);
}

export function pick<T>(of: readonly T[], random: () => number): T {
  const one = of[below(of.length, random)];
  if (one === undefined) throw new Error('There is nothing to pick from.');
  return one;
}

/** Appends, and lets go of the oldest above a limit. */
export function remember<T>(list: T[], one: T, max: number): void {
  list.push(one);
  if (list.length > max) list.shift();
}
