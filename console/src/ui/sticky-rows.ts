import { useRef, useState } from 'react';

type Keep = (isCounted: boolean) => void;

interface ShownRow<Row> {
  key: string;
  row: Row;
  /** Keeps the row, or lets it go. */
  keep: Keep;
}

/** The rows of a list, and as they were last those that a dialog keeps although the list does not contain them any more. */
export function useStickyRows<Row>(rows: readonly Row[], keyOf: (row: Row) => string): ShownRow<Row>[] {
  const [kept, setKept] = useState<ReadonlySet<string>>(new Set());
  const listed = new Map(rows.map((row) => [keyOf(row), row]));
  const last = useRef(new Map<string, Row>());
  const gone = [...kept].flatMap((key) => {
    const row = last.current.get(key);
    return listed.has(key) || row === undefined ? [] : [[key, row] as const];
  });
  const shown = [...listed, ...gone];
  last.current = new Map(shown);
  const keepers = useRef(new Map<string, Keep>());
  const keeperOf = (key: string): Keep => {
    const known = keepers.current.get(key);
    if (known) return known;
    const keep = (isCounted: boolean): void =>
      setKept((before) => {
        const after = new Set(before);
        if (isCounted) after.add(key);
        else after.delete(key);
        return after;
      });
    keepers.current.set(key, keep);
    return keep;
  };
  return shown.map(([key, row]) => ({ key, row, keep: keeperOf(key) }));
}
