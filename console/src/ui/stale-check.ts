import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';

/** Values by their names, as the page shows them. */
export type Seen = Readonly<Record<string, string | number | null | undefined>>;

export const nothing: Seen = {};

interface StaleCheck {
  /** What is different from what the person saw, in sentences without a stop. */
  differences: readonly string[];
  /** The person sees the present values. */
  look(): void;
  /** Reads the page again, and tells whether it is different by now. */
  differs(): Promise<boolean>;
}

/** Compares what a person saw when they began with what is true when they send it. */
export function useStaleCheck(present: Seen): StaleCheck {
  const client = useQueryClient();
  const latest = useRef(present);
  latest.current = present;
  const [before, setBefore] = useState(present);
  const [differences, setDifferences] = useState<readonly string[]>([]);
  const look = (): void => {
    setBefore(latest.current);
    setDifferences([]);
  };
  const differs = async (): Promise<boolean> => {
    setDifferences([]);
    if (Object.keys(present).length === 0) return false;
    await client.refetchQueries({ type: 'active' });
    // The page is drawn with what was read in the next task.
    await new Promise((resolve) => setTimeout(resolve));
    const found = differencesBetween(before, latest.current);
    setBefore(latest.current);
    setDifferences(found);
    return found.length > 0;
  };
  return { differences, look, differs };
}

function differencesBetween(before: Seen, now: Seen): string[] {
  return Object.keys(now)
    .filter((name) => before[name] !== now[name])
    .map((name) => `${name} changed from ${textOf(before[name])} to ${textOf(now[name])}`);
}

const textOf = (value: Seen[string]): string =>
  value === null || value === undefined || value === '' ? 'none' : `${value}`;
