import { Alert, Button, type ButtonProps, Fieldset, Group, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, type ReactNode, useState } from 'react';
import { useMode } from '../shell/mode.ts';
import type { Attempt } from './attempt.ts';
import { Failed } from './states.tsx';

/** What the dialog of an action shows, whatever it sends. */
export interface ShownAction {
  /** What the button says, for example `Refund`. */
  name: string;
  /** The consequence, in a sentence. */
  consequence: ReactNode;
  /** Whether a reason is recorded with the action. */
  takesReason?: boolean;
  /** The fields besides the reason. */
  children?: ReactNode;
  color?: ButtonProps['color'];
}

interface ActionFormProps<Variables> extends ShownAction {
  attempt: Attempt<Variables>;
  reason: string;
  onReason(reason: string): void;
  onSubmit(): void;
  onClose(): void;
}

/** The dialog of an action: its consequence, its fields, and what became of an attempt. */
export function ActionForm<Variables>(props: ActionFormProps<Variables>) {
  const {
    name,
    consequence,
    takesReason = true,
    children,
    color,
    attempt,
    reason,
    onReason,
    onSubmit,
    onClose,
  } = props;
  const mustConfirm = useMode() === 'live';
  const [confirmation, setConfirmation] = useState('');
  const { isPending, isRunning, failure } = attempt;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    onSubmit();
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        <Text size="sm">{consequence}</Text>
        <Fieldset variant="unstyled" disabled={isPending || isRunning}>
          <Stack gap="sm">
            {children}
            {takesReason && (
              <TextInput
                label="Reason"
                description="Recorded in the audit log."
                required
                maxLength={200}
                value={reason}
                onChange={({ currentTarget }) => onReason(currentTarget.value)}
              />
            )}
          </Stack>
        </Fieldset>
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
        {isPending && (
          <Alert color="yellow">
            Whether it was done is not known. Try again: exactly the same is sent, and it is not done twice. Until the
            outcome is known, nothing here can be changed.
          </Alert>
        )}
        {!isPending && failure?.isUnknown && (
          <Alert color="yellow">
            Whether it was done is not known. Look at the page first: sent again, it may be done twice.
          </Alert>
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Close
          </Button>
          <Button type="submit" color={color} loading={isRunning} disabled={mustConfirm && confirmation !== 'LIVE'}>
            {isPending ? 'Try again' : name}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
