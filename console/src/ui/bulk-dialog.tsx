import { Button, Group, Modal, Progress, Stack, Text } from '@mantine/core';
import { useBlocker } from '@tanstack/react-router';
import { useState } from 'react';
import { ActionForm } from './action-form.tsx';
import type { BulkAction } from './bulk-action.ts';
import { BulkReport } from './bulk-report.tsx';
import { isLeft, useBulkRun } from './bulk-run.ts';
import { useActing } from './open-dialogs.ts';

interface BulkDialogProps<Row> {
  action: BulkAction<Row>;
  rows: readonly Row[];
  /** What the rows are, in the plural. */
  noun: string;
  onClose(): void;
}

/** Does an action for each of the selected rows: its consequence and reason, its progress, and a report of each row. */
export function BulkDialog<Row>({ action, rows, noun, onClose }: BulkDialogProps<Row>) {
  const { name, consequence, color } = action;
  const [reason, setReason] = useState('');
  const [isBegun, setIsBegun] = useState(false);
  const { items, isRunning, failure, delayS, run, stop } = useBulkRun(action, rows);
  useActing(true);
  useBlocker({ shouldBlockFn: () => isRunning, enableBeforeUnload: () => isRunning });
  const waiting = items.filter(({ result }) => result === 'waiting').length;
  const skipped = items.filter(({ result }) => result === 'skipped').length;
  const isHeld = !isRunning && failure?.needsFreshFactor === true;
  const isFinished = isBegun && !isRunning && waiting === 0 && failure === undefined;
  const of = `${rows.length.toLocaleString()} ${noun}`;
  const send = (): void => {
    setIsBegun(true);
    void run(reason);
  };
  return (
    <Modal
      opened
      onClose={isRunning ? stop : onClose}
      closeOnClickOutside={!isBegun}
      title={`${name} ${of}`}
      size={isFinished ? 'xl' : 'md'}
      centered
      withCloseButton={false}
    >
      {isFinished ? (
        <Stack gap="sm">
          <BulkReport items={items} nameOf={action.nameOf} />
          <Group justify="flex-end">
            {items.some(isLeft) && (
              <Button variant="default" onClick={send}>
                Try again
              </Button>
            )}
            <Button onClick={onClose}>Close</Button>
          </Group>
        </Stack>
      ) : (
        <ActionForm
          name={name}
          of={of}
          consequence={skipped === 0 ? consequence : `${consequence} ${skipped.toLocaleString()} of them are skipped.`}
          keep={isRunning ? 'Stop' : 'Go back'}
          color={color}
          attempt={{ isRunning, isHeld, isPending: isBegun && !isRunning && !isHeld, failure }}
          pending={`${waiting.toLocaleString()} of ${of} are left.`}
          differences={[]}
          reason={reason}
          onReason={setReason}
          onSubmit={send}
          onClose={isRunning ? stop : onClose}
        >
          {isBegun && <BulkProgress left={items.filter(isLeft).length} total={rows.length} delayS={delayS} />}
        </ActionForm>
      )}
    </Modal>
  );
}

interface BulkProgressProps {
  left: number;
  total: number;
  delayS: number | undefined;
}

function BulkProgress({ left, total, delayS }: BulkProgressProps) {
  const done = total - left;
  return (
    <Stack gap={4}>
      <Progress aria-label="Rows processed" value={(done / total) * 100} />
      <Text size="sm" className="figures" role="status">
        {done.toLocaleString()} of {total.toLocaleString()}
        {delayS !== undefined && `. Rate limit reached, continues in ${delayS} s`}
      </Text>
    </Stack>
  );
}
