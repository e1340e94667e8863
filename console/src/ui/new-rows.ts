import { useQuery } from '@tanstack/react-query';
import { ask } from '../graph/ask.ts';
import type { ListDefinition } from './list-definition.ts';

const refetchInterval = 20_000;

interface Shown<Row> {
  rows: readonly Row[];
  /** Whether it is the first page in the order of the list, where new rows come first. */
  isNewest: boolean;
}

/** How many rows have come to the top of a list since it was read. The list stays as it is until it is read again. */
export function useNewRows<Row, Variables>(
  { title, document, keyOf }: ListDefinition<Row, Variables>,
  variables: Variables,
  { rows, isNewest }: Shown<Row>,
): number {
  const { data } = useQuery({
    queryKey: ['new rows', title, variables],
    queryFn: ({ signal }) => ask(document, variables, { signal }),
    enabled: isNewest,
    refetchInterval,
    // The list itself has just been read.
    initialData: { list: null },
    staleTime: refetchInterval,
  });
  const shown = new Set(rows.map(keyOf));
  const newest = data.list?.items ?? [];
  const known = newest.findIndex((row) => shown.has(keyOf(row)));
  return known === -1 ? newest.length : known;
}
