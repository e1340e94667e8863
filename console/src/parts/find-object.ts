import { useQuery } from '@tanstack/react-query';
import { failureOf } from '../graph/failure.ts';

type Source<Found> = (signal: AbortSignal) => Promise<Found | null | undefined>;

/**
 * Reads an object that no root field returns by its identifier: from the first of the lists that has it. Null if none
 * has. A source is false where its list cannot be named.
 */
export function useFound<Found>(key: readonly unknown[], sources: readonly (Source<Found> | false)[]) {
  return useQuery({
    queryKey: key,
    queryFn: async ({ signal }) => {
      for (const source of sources) {
        const found = source && (await source(signal).catch(nothingThere));
        if (found) return found;
      }
      return null;
    },
  });
}

function nothingThere(error: unknown): null {
  if (failureOf(error).code.endsWith('NOT_FOUND')) return null;
  throw error;
}
