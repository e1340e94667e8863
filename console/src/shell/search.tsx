import { Button, Kbd } from '@mantine/core';
import { useDisclosure, useHotkeys } from '@mantine/hooks';
import { lazy, useState } from 'react';
import { LazyDialog } from '../ui/lazy-dialog.tsx';
import { useShortcut } from '../ui/shortcuts.ts';

const SearchDialog = lazy(async () => ({ default: (await import('./search-dialog.tsx')).SearchDialog }));

/** Opens the search: by its button, and from anywhere by Ctrl K, Cmd K or, outside of fields, `/`. */
export function Search() {
  const [isOpen, dialog] = useDisclosure();
  const [wasUsed, setWasUsed] = useState(false);
  const open = (): void => {
    setWasUsed(true);
    dialog.open();
  };
  useHotkeys([['mod+K', open]], []);
  useShortcut('/', open);
  return (
    <>
      <Button variant="default" size="xs" onClick={open} aria-keyshortcuts="Control+K">
        Search
        <Kbd size="xs" ml="xs" visibleFrom="sm" aria-hidden>
          Ctrl K
        </Kbd>
      </Button>
      {wasUsed && (
        <LazyDialog title="Search" isOpen={isOpen} onClose={dialog.close}>
          <SearchDialog isOpen={isOpen} onClose={dialog.close} />
        </LazyDialog>
      )}
    </>
  );
}
