import { createHash } from 'node:crypto';

/** The fields of a flow that determine the processors of a charge. */
export interface RoutedFlow {
  strategy: 'simple' | 'cascade';
  processors: readonly { processorId: string; weight: number }[];
  fallbacks: readonly { processorId: string; order: number }[];
  maxRetries: number;
}

export interface RoutedCharge {
  /** The processors that are enabled and connected and support the currency. */
  usable: ReadonlySet<string>;
  /** The same seed results in the same choice. */
  seed: string;
  /** The processor that the customer keeps. Null if there is none. */
  keeps: string | null;
}

/**
 * The processors of a charge in the order in which they are tried, each once: the one that the customer keeps or the
 * weighted choice, and in a cascade the fallbacks after it. If no weighted processor is usable, a cascade starts with
 * its first fallback.
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
 * Chooses by weight with rendezvous hashing: each candidate gets a value from the seed and its id, and the smallest one
 * wins. The order of candidates has no influence, and removing one changes only the choices that it had won.
 */
function weightedPick(candidates: RoutedFlow['processors'], seed: string): string | undefined {
  let winner: { processorId: string; value: number } | undefined;
  for (const { processorId, weight } of candidates) {
    // Exponentially distributed with the weight as its rate: each candidate has the smallest value with the
    // probability of its share.
    const value = -Math.log(unitOf(`${seed}:${processorId}`)) / weight;
    if (!winner || value < winner.value) winner = { processorId, value };
  }
  return winner?.processorId;
}

/** A number above 0 and below 1, determined by the text. */
export function unitOf(text: string): number {
  return (createHash('sha256').update(text).digest().readUIntBE(0, 6) + 0.5) / 2 ** 48;
}
