import { useMemo, useState } from 'react';

/** The selected rows of a list, on all its pages. */
export interface Selection<Row> {
  rows: readonly Row[];
  has(row: Row): boolean;
  /** Selects the rows, or no longer. */
  set(rows: readonly Row[], isSelected: boolean): void;
  clear(): void;
}

/** The selection lasts while `view`, the filters of the list, does. */
export function useSelection<Row>(keyOf: (row: Row) => string, view: string): Selection<Row> {
  const [kept, setKept] = useState<{ view: string; rows: ReadonlyMap<string, Row> }>({ view, rows: new Map() });
  const rows = kept.view === view ? kept.rows : new Map<string, Row>();
  return useMemo(
    () => ({
      rows: [...rows.values()],
      has: (row) => rows.has(keyOf(row)),
      set: (changed, isSelected) => {
        const after = new Map(rows);
        for (const row of changed) {
          if (isSelected) after.set(keyOf(row), row);
          else after.delete(keyOf(row));
        }
        setKept({ view, rows: after });
      },
      clear: () => setKept({ view, rows: new Map() }),
    }),
    [rows, keyOf, view],
  );
}
