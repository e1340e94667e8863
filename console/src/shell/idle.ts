import { focusManager } from '@tanstack/react-query';

const idleMs = 5 * 60_000;

/**
 * Stops the refreshing of pages 5 minutes after the last input, until the next: its calls would keep the session from
 * ending.
 */
export function pauseWhileIdle(): void {
  let timer: number | undefined;
  const noteInput = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => focusManager.setFocused(false), idleMs);
    focusManager.setFocused(undefined); // by the visibility of the page again
  };
  for (const type of ['pointermove', 'pointerdown', 'keydown', 'wheel'])
    addEventListener(type, noteInput, { passive: true });
  noteInput();
}
