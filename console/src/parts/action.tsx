import {
  Alert,
  Button,
  type ButtonProps,
  Fieldset,
  Group,
  Modal,
  Stack,
  Text,
  TextInput,
  Tooltip,
} from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { TadaDocumentNode } from 'gql.tada';
import { type FormEvent, type ReactNode, useState } from 'react';
import { useMode } from '../shell/mode.ts';
import { type Attempt, useAttempt } from './attempt.ts';
import { type Probe, useProbe } from './probe.ts';
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
  /** Asks the platform whether it would be refused. */
  probe?: Probe;
  /** Whether a reason is recorded with the action. */
  takesReason?: boolean;
  /** Whether the mutation honors an Idempotency-Key: it is then sent again until its outcome is known. */
  isRepeatable?: boolean;
  /** The fields besides the reason. */
  children?: ReactNode;
  onDone?: (data: Data) => void;
  /** What became of it, where that is not always the same. */
  outcome?: (data: Data) => string;
  color?: ButtonProps['color'];
}

/** A button that asks before it acts. What was typed and an attempt whose outcome is unknown outlive the dialog. */
export function Action<Data, Variables>(props: ActionProps<Data, Variables>) {
  const { name, refused, color, document, isRepeatable = false, onDone, outcome = () => 'done' } = props;
  const [isOpen, dialog] = useDisclosure();
  const permission = useProbe(props.probe);
  const [reason, setReason] = useState('');
  const attempt = useAttempt({
    name,
    document,
    isRepeatable,
    outcome,
    onDone: (data) => {
      dialog.close();
      setReason('');
      onDone?.(data);
    },
  });
  // What was sent is shown until its outcome is known, whatever the page has learned meanwhile.
  const [sent, setSent] = useState<Pick<typeof props, 'consequence' | 'children'>>({ consequence: props.consequence });
  const shown = attempt.isPending || attempt.isRunning ? { ...props, ...sent } : props;
  // What was begun can be finished, whatever became of the object meanwhile.
  const why = attempt.isPending || attempt.isRunning ? undefined : (refused ?? permission.why);
  return (
    <>
      {/* Not disabled by its attribute: it keeps the focus, so that the reason can be read by keyboard. */}
      <Tooltip label={why} disabled={why === undefined} events={{ hover: true, focus: true, touch: true }}>
        <Button
          size="xs"
          variant="light"
          color={color}
          data-disabled={why !== undefined || undefined}
          aria-disabled={why !== undefined}
          aria-description={why}
          onFocus={permission.comeNear}
          onPointerEnter={permission.comeNear}
          onClick={() => {
            if (why === undefined) dialog.open();
          }}
        >
          {name}
        </Button>
      </Tooltip>
      <Modal opened={isOpen} onClose={dialog.close} title={name} centered keepMounted={false} withCloseButton={false}>
        <ActionForm
          {...shown}
          attempt={attempt}
          reason={reason}
          onReason={setReason}
          onSubmit={() => {
            if (!attempt.isPending) setSent({ consequence: props.consequence, children: props.children });
            void attempt.run(() => props.variables(reason));
          }}
          onClose={dialog.close}
        />
      </Modal>
    </>
  );
}

interface ActionFormProps<Data, Variables> extends ActionProps<Data, Variables> {
  attempt: Attempt<Variables>;
  reason: string;
  onReason(reason: string): void;
  onSubmit(): void;
  onClose(): void;
}

function ActionForm<Data, Variables>(props: ActionFormProps<Data, Variables>) {
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
