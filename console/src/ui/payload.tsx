import { Button, Code, Modal } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { ReactNode } from 'react';

/** What a merchant has stored with an object; nothing where that is nothing. */
export function metadataOf({ metadata }: { metadata: Record<string, unknown> }): ReactNode {
  return Object.keys(metadata).length > 0 && <Payload title="Metadata" value={metadata} />;
}

/** JSON behind a button. */
export function Payload({ title, value }: { title: string; value: unknown }) {
  const [isOpen, dialog] = useDisclosure();
  return (
    <>
      <Button size="compact-xs" variant="default" onClick={dialog.open}>
        Show
      </Button>
      <Modal opened={isOpen} onClose={dialog.close} title={title} size="lg">
        <Code block tabIndex={0}>
          {typeof value === 'string' ? value : JSON.stringify(value, null, 2)}
        </Code>
      </Modal>
    </>
  );
}
