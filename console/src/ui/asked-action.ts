import { useEffect, useSyncExternalStore } from 'react';

/** The name of the action whose dialog is to open as soon as its button is shown. */
let asked: string | undefined;
const listeners = new Set<() => void>();

function set(name: string | undefined): void {
  asked = name;
  for (const listener of listeners) listener();
}

/** Opens the dialog of an action of a page that is about to be shown. */
export const askFor = (name: string): void => set(name);

/** Presses the button of the action when it was asked for. */
export function useAskedFor(name: string, press: () => void): void {
  const isAsked = useSyncExternalStore(subscribe, () => asked) === name;
  useEffect(() => {
    if (!isAsked) return;
    set(undefined);
    press();
  }, [isAsked]);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}
