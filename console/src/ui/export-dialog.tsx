import { Alert, Button, Group, Modal, Progress, Stack, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useEffect, useRef, useState } from 'react';
import { ask } from '../graph/ask.ts';
import { download, save } from './download.ts';
import type { ExportDocument } from './list-definition.ts';
import { Failed } from './loading-empty-failed.tsx';

/** The most rows of an export. The platform refuses more before anything is sent. */
const rowsMax = 100_000;

interface ExportDialogProps {
  document: ExportDocument;
  /** Those of the list. */
  variables: unknown;
  /** The number of rows of the list, if it is known. */
  total: number | undefined;
  isOpen: boolean;
  onClose(): void;
}

/** Exports the rows of a list as a file. It goes on when the dialog is closed, and ends with the page. */
export function ExportDialog({ document, variables, total, isOpen, onClose }: ExportDialogProps) {
  const [progress, setProgress] = useState<{ rows: number; of: number }>();
  const [failure, setFailure] = useState<unknown>();
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);
  const run = async (): Promise<void> => {
    const controller = new AbortController();
    const { signal } = controller;
    running.current = controller;
    setFailure(undefined);
    setProgress({ rows: 0, of: total ?? 0 });
    try {
      const { begun } = await ask(document, variables as never, { signal });
      if (!begun) return;
      const { url, rows: of } = begun;
      const file = await download(url, {
        signal,
        onLines: (lines) => setProgress({ rows: Math.max(0, lines - 1), of }),
      });
      save(file);
      notifications.show({ message: `${file.name} was saved.`, color: 'green' });
      onClose();
    } catch (error) {
      if (!signal.aborted) setFailure(error);
    } finally {
      setProgress(undefined);
    }
  };
  const isTooLong = total !== undefined && total > rowsMax;
  return (
    <Modal opened={isOpen} onClose={onClose} title="Export" centered withCloseButton={false}>
      <Stack gap="sm">
        <Text size="sm">
          {rowsText(total)} the filters, on all pages, as CSV for a spreadsheet: at most {rowsMax.toLocaleString()}. Who
          exported what is recorded in the audit log.
        </Text>
        {isTooLong && (
          <Alert color="yellow" role="note">
            An export has at most {rowsMax.toLocaleString()} rows. Narrow the filters, for example to one month.
          </Alert>
        )}
        {progress && (
          <Stack gap={4}>
            <Progress
              aria-label="Rows received"
              value={progress.of === 0 ? 0 : Math.min(100, (progress.rows / progress.of) * 100)}
            />
            <Text size="sm" className="figures" role="status">
              {progress.rows.toLocaleString()} of {progress.of.toLocaleString()} rows
            </Text>
          </Stack>
        )}
        {failure !== undefined && <Failed error={failure} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Close
          </Button>
          {progress ? (
            <Button color="red" variant="light" onClick={() => running.current?.abort()}>
              Stop
            </Button>
          ) : (
            <Button onClick={() => void run()} disabled={isTooLong || total === 0}>
              Export
            </Button>
          )}
        </Group>
      </Stack>
    </Modal>
  );
}

function rowsText(total: number | undefined): string {
  if (total === 1) return 'The 1 row that matches';
  return `The ${total === undefined ? '' : `${total.toLocaleString()} `}rows that match`;
}
