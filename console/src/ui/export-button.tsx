import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { lazy, useState } from 'react';
import { LazyDialog } from './lazy-dialog.tsx';
import type { ExportDocument } from './list-definition.ts';
import { useShortcut } from './shortcuts.ts';

const ExportDialog = lazy(async () => ({ default: (await import('./export-dialog.tsx')).ExportDialog }));

interface ExportButtonProps {
  document: ExportDocument;
  variables: unknown;
  total: number | undefined;
}

/** Opens the export of a list. Its dialog is loaded with the first use. */
export function ExportButton(props: ExportButtonProps) {
  const [isOpen, dialog] = useDisclosure();
  const [wasUsed, setWasUsed] = useState(false);
  const open = (): void => {
    setWasUsed(true);
    dialog.open();
  };
  useShortcut('e', open);
  return (
    <>
      <Button variant="default" size="xs" onClick={open}>
        Export
      </Button>
      {wasUsed && (
        <LazyDialog title="Export" isOpen={isOpen} onClose={dialog.close}>
          <ExportDialog {...props} isOpen={isOpen} onClose={dialog.close} />
        </LazyDialog>
      )}
    </>
  );
}
