import { Alert, Button, type ButtonProps, Group, Modal, Stack, Text, TextInput, Tooltip } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { useQueryClient } from '@tanstack/react-query';
import type { TadaDocumentNode } from 'gql.tada';
import { type FormEvent, type ReactNode, useRef, useState } from 'react';
import { ask } from '../graph/ask.ts';
import { type Failure, failureOf } from '../graph/failure.ts';
import { useMode } from '../shell/mode.ts';
import { Failed } from './states.tsx';

export interface ActionProps<Data, Variables> {
  /** What the button says, for example `Refund`. */
  name: string;
  /** The consequence, in a sentence. */
  consequence: ReactNode;
  document: TadaDocumentNode<Data, Variables>;
  /** The variables for the reason that was typed. Throws an error whose message is shown. */
  variables(reason: string): Variables;
  /** Why the button is disabled; undefined if it is not. */
  refused?: string | undefined;
  /** Whether a reason is recorded with the action. */
  takesReason?: boolean;
  /** The fields besides the reason. */
  children?: ReactNode;
  onDone?: (data: Data) => void;
  color?: ButtonProps['color'];
}

/**
 * A button that asks before it acts. The Idempotency-Key stays until the answer is known, so that an attempt whose
 * answer was lost is repeated and not made twice; what was typed stays as well.
 */
export function Action<Data, Variables>(props: ActionProps<Data, Variables>) {
  const { name, refused, color } = props;
  const [isOpen, dialog] = useDisclosure();
  const isRefused = refused !== undefined;
  return (
    <>
      {/* Not disabled by its attribute: it keeps the focus, so that the reason can be read by keyboard. */}
      <Tooltip label={refused} disabled={!isRefused} events={{ hover: true, focus: true, touch: true }}>
        <Button
          size="xs"
          variant="light"
          color={color}
          data-disabled={isRefused || undefined}
          aria-disabled={isRefused}
          aria-description={refused}
          onClick={() => {
            if (!isRefused) dialog.open();
          }}
        >
          {name}
        </Button>
      </Tooltip>
      <Modal opened={isOpen} onClose={dialog.close} title={name} centered keepMounted={false}>
        <ActionForm {...props} onClose={dialog.close} />
      </Modal>
    </>
  );
}

function ActionForm<Data, Variables>(props: ActionProps<Data, Variables> & { onClose(): void }) {
  const { name, consequence, document, variables, takesReason = true, children, onDone, color, onClose } = props;
  const mode = useMode();
  const client = useQueryClient();
  const key = useRef(crypto.randomUUID());
  const [reason, setReason] = useState('');
  const [confirmation, setConfirmation] = useState('');
  const [isRunning, setIsRunning] = useState(false);
  const [failure, setFailure] = useState<Failure>();
  const run = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    setIsRunning(true);
    setFailure(undefined);
    try {
      const data = await ask(document, variables(reason), { idempotencyKey: key.current });
      notifications.show({ message: `${name}: done.`, color: 'green' });
      onDone?.(data);
      onClose();
      await client.invalidateQueries();
    } catch (error) {
      const refusal = failureOf(error);
      // A refusal did nothing, so a corrected attempt is another one.
      if (!refusal.isUnknown) key.current = crypto.randomUUID();
      setFailure(refusal);
    } finally {
      setIsRunning(false);
    }
  };
  const mustConfirm = mode === 'live';
  return (
    <form onSubmit={(event) => void run(event)}>
      <Stack gap="sm">
        <Text size="sm">{consequence}</Text>
        {children}
        {takesReason && (
          <TextInput
            label="Reason"
            description="Recorded in the audit log."
            required
            maxLength={200}
            value={reason}
            onChange={({ currentTarget }) => setReason(currentTarget.value)}
          />
        )}
        {mustConfirm && (
          <TextInput
            label="This is live. Type LIVE to confirm"
            required
            pattern="LIVE"
            value={confirmation}
            onChange={({ currentTarget }) => setConfirmation(currentTarget.value)}
            autoComplete="off"
          />
        )}
        {failure && <Failed error={failure} />}
        {failure?.isUnknown && (
          <Alert color="yellow">Whether it was done is not known. Try again: it is not done twice.</Alert>
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Close
          </Button>
          <Button type="submit" color={color} loading={isRunning} disabled={mustConfirm && confirmation !== 'LIVE'}>
            {failure?.isUnknown ? 'Try again' : name}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
