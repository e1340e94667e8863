import { createHash } from 'node:crypto';

/** A flow as far as it decides where a charge goes. */
export interface RoutedFlow {
  strategy: 'simple' | 'cascade';
  processors: readonly { processorId: string; weight: number }[];
  fallbacks: readonly { processorId: string; order: number }[];
  maxRetries: number;
}

export interface RoutedCharge {
  /** The processors that can be asked: enabled, connected, and taking the currency. */
  usable: ReadonlySet<string>;
  /** The same seed gives the same pick. */
  seed: string;
  /** The processor the customer is to stay with, if there is one. */
  keeps: string | null;
}

/**
 * The processors of a charge in the order they are tried, none twice: the one the customer stays with or the weighted pick, and
 * in a cascade the fallbacks after it. Pure. Where none of the weighted ones is usable, a cascade begins with its first fallback.
 */
export function routeOf(flow: RoutedFlow, { usable, seed, keeps }: RoutedCharge): string[] {
  const weighted = flow.processors.filter(({ processorId }) => usable.has(processorId));
  const isCascade = flow.strategy === 'cascade';
  const fallbacks = (isCascade ? [...flow.fallbacks] : [])
    .sort((left, right) => left.order - right.order)
    .map(({ processorId }) => processorId)
    .filter((id) => usable.has(id));
  const kept = [...weighted.map(({ processorId }) => processorId), ...fallbacks].find((id) => id === keeps);
  const first = kept ?? weightedPick(weighted, seed) ?? fallbacks[0];
  if (first === undefined) return [];
  return [first, ...fallbacks.filter((id) => id !== first)].slice(0, 1 + (isCascade ? flow.maxRetries : 0));
}

/**
 * One of several by weight, by rendezvous hashing: each draws a lot from the seed and its own id, and the shortest wins. So the
 * order they stand in plays no part, and one that goes away moves those alone that were with it.
 */
function weightedPick(candidates: RoutedFlow['processors'], seed: string): string | undefined {
  let winner: { processorId: string; lot: number } | undefined;
  for (const { processorId, weight } of candidates) {
    // Exponentially distributed, with the weight as its rate: the shortest of such lots is each one's with a chance of its share.
    const lot = -Math.log(unitOf(`${seed}:${processorId}`)) / weight;
    if (!winner || lot < winner.lot) winner = { processorId, lot };
  }
  return winner?.processorId;
}

/** A number above 0 and below 1, the same for the same text. */
export function unitOf(text: string): number {
  return (createHash('sha256').update(text).digest().readUIntBE(0, 6) + 0.5) / 2 ** 48;
}
