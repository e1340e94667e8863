import { useHotkeys, useLocalStorage } from '@mantine/hooks';

/** Whether keys without Ctrl or Cmd do something. A person can turn them off, as WCAG 2.2, 2.1.4 requires. */
export function useShortcutsOn(): [isOn: boolean, set: (isOn: boolean) => void] {
  const [state, setState] = useLocalStorage<'on' | 'off'>({
    key: 'platform.shortcuts',
    defaultValue: 'on',
    getInitialValueInEffect: false,
  });
  return [state === 'on', (isOn) => setState(isOn ? 'on' : 'off')];
}

/** A single key that does something outside of fields, while no dialog is open. Without a key it does nothing. */
export function useShortcut(key: string | undefined, run: () => void): void {
  const [isOn] = useShortcutsOn();
  const press = (): void => {
    if (isOn && document.querySelector('[role=dialog]') === null) run();
  };
  useHotkeys(key === undefined ? [] : [[key, press]]);
}

/** Selects the row of the list that has the focus, or no longer. */
export function selectRow(): void {
  document.activeElement?.closest('tr')?.querySelector<HTMLElement>('input[type=checkbox]')?.click();
}

/** Moves the focus to the next or the previous row of the list. */
export function focusRow(step: 1 | -1): void {
  const links = [...document.querySelectorAll<HTMLElement>('main .row-link')];
  const at = links.indexOf(document.activeElement as HTMLElement);
  const next = at === -1 ? links[step === 1 ? 0 : links.length - 1] : links[at + step];
  next?.focus();
}
