import { useRef, useState } from 'react';

type Keep = (isKept: boolean) => void;

interface ShownRow<Row> {
  key: string;
  row: Row;
  /** Keeps the row, or lets it go. */
  keep: Keep;
}

/** The rows of a list, and those that a dialog keeps although the list does not contain them any more. */
export function useKeptRows<Row>(rows: readonly Row[], keyOf: (row: Row) => string): ShownRow<Row>[] {
  const [kept, setKept] = useState<ReadonlyMap<string, Row>>(new Map());
  const listed = rows.map((row) => [keyOf(row), row] as const);
  const latest = useRef(new Map(listed));
  latest.current = new Map(listed);
  const keepers = useRef(new Map<string, Keep>());
  const keeperOf = (key: string): Keep => {
    const known = keepers.current.get(key);
    if (known) return known;
    const keep = (isKept: boolean): void =>
      setKept((before) => {
        const after = new Map(before);
        const row = latest.current.get(key);
        if (!isKept) after.delete(key);
        else if (row !== undefined) after.set(key, row);
        return after;
      });
    keepers.current.set(key, keep);
    return keep;
  };
  const missing = [...kept].filter(([key]) => !latest.current.has(key));
  return [...listed, ...missing].map(([key, row]) => ({ key, row, keep: keeperOf(key) }));
}
