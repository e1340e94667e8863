import { Button } from '@mantine/core';
import { CatchBoundary } from '@tanstack/react-router';
import { type ReactNode, Suspense } from 'react';
import { Failed } from './loading-empty-failed.tsx';

interface LazyDialogProps {
  title: string;
  isOpen: boolean;
  onClose(): void;
  children: ReactNode;
}

/** A dialog that is loaded with its first use. If it cannot be, it says so, and the page stays as it is. */
export function LazyDialog({ title, isOpen, onClose, children }: LazyDialogProps) {
  return (
    <CatchBoundary
      getResetKey={() => title}
      errorComponent={({ error }) =>
        isOpen && (
          // A plain element: the parts of a dialog may be what could not be loaded.
          <div role="dialog" aria-label={title} className="not-loaded">
            <Failed error={error} />
            <Button variant="default" size="xs" onClick={onClose}>
              Close
            </Button>
          </div>
        )
      }
    >
      <Suspense>{children}</Suspense>
    </CatchBoundary>
  );
}
