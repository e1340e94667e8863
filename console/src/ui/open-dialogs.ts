import { createContext, use, useEffect, useSyncExternalStore } from 'react';

const listeners = new Set<() => void>();
let acting = 0;

function change(by: number): void {
  acting += by;
  for (const listener of listeners) listener();
}

function listen(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Whether a dialog of an action is open anywhere on the page. What would take it away waits until it is closed. */
export function useIsActing(): boolean {
  return useSyncExternalStore(listen, () => acting > 0);
}

/** Keeps the row of a table that the caller is part of, although the list does not contain it any more. */
export const KeepRow = createContext<((isCounted: boolean) => void) | null>(null);

/** Keeps what a dialog is part of while it is open. */
export function useActing(isActing: boolean): void {
  const keepRow = use(KeepRow);
  useEffect(() => {
    if (!isActing) return undefined;
    change(1);
    keepRow?.(true);
    return () => {
      change(-1);
      keepRow?.(false);
    };
  }, [isActing, keepRow]);
}
