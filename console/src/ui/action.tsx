import { Button, Modal, Tooltip } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { TadaDocumentNode } from 'gql.tada';
import { use, useState } from 'react';
import { ActionForm, type ShownAction, titleOf } from './action-form.tsx';
import { useAskedFor } from './asked-action.ts';
import { useMutationCall } from './mutation-call.ts';
import { KeepRow, useActing } from './open-dialogs.ts';
import { type Probe, useProbe } from './permission-probe.ts';
import { useShortcut } from './shortcuts.ts';
import { nothing, type Seen, useStaleCheck } from './stale-check.ts';

export interface ActionProps<Data, Variables> extends ShownAction {
  document: TadaDocumentNode<Data, Variables>;
  /** The variables for the reason that was typed. Throws an error whose message is shown. */
  variables(reason: string): Variables;
  /**
   * What the person decides on, by its name: the values that the page shows. If one has changed when the action is sent,
   * nothing is sent, and the dialog says what is different.
   */
  seen?: Seen;
  /** A single key that presses the button. */
  shortcut?: string;
  /** Whether there is a button. A dialog that is open stays open without it. */
  isOffered?: boolean;
  /** Why the button is disabled; undefined if it is not. */
  refused?: string | undefined;
  /** Asks the platform whether it would be refused. */
  probe?: Probe;
  onDone?: (data: Data) => void;
  /** What became of it, where that is not always the same. */
  outcome?: (data: Data) => string;
}

/**
 * A button that asks before it acts. What was typed and an attempt whose outcome is unknown outlive the dialog. Of two that
 * take turns, both are rendered and one is offered.
 */
export function Action<Data, Variables>(props: ActionProps<Data, Variables>) {
  const { name, refused, color, document, onDone, outcome = () => 'done' } = props;
  const { seen = nothing, isOffered = true } = props;
  const [isOpen, dialog] = useDisclosure();
  const permission = useProbe(props.probe);
  const [reason, setReason] = useState('');
  const { differences, look, differs } = useStaleCheck(seen);
  const attempt = useMutationCall({
    name,
    document,
    differs,
    outcome,
    onDone: (data) => {
      dialog.close();
      setReason('');
      onDone?.(data);
    },
  });
  // What was sent is shown until its outcome is known, whatever the page has learned meanwhile.
  const [sent, setSent] = useState<Pick<typeof props, 'of' | 'consequence' | 'children'>>({
    consequence: props.consequence,
  });
  const isBegun = attempt.isPending || attempt.isRunning || attempt.isHeld;
  const shown = isBegun ? { ...props, ...sent } : props;
  // What was begun can be finished, whatever became of the object meanwhile.
  const why = isBegun ? undefined : (refused ?? permission.why);
  const isInRow = use(KeepRow) !== null;
  const close = (): void => {
    attempt.drop();
    dialog.close();
  };
  const press = (): void => {
    if (why !== undefined) return;
    look();
    dialog.open();
  };
  useShortcut(props.shortcut, press);
  useAskedFor(name, press);
  useActing(isOpen || isBegun);
  if (!isOffered && !isOpen && !isBegun) return null;
  return (
    <>
      {/* Not disabled by its attribute: it keeps the focus, so that the reason can be read by keyboard. */}
      <Tooltip label={why} disabled={why === undefined} events={{ hover: true, focus: true, touch: true }}>
        <Button
          size={isInRow ? 'compact-xs' : 'xs'}
          variant={isInRow ? 'default' : 'light'}
          color={color}
          data-disabled={why !== undefined || undefined}
          aria-disabled={why !== undefined}
          aria-description={why}
          onFocus={permission.comeNear}
          onPointerEnter={permission.comeNear}
          onClick={press}
        >
          {name}
        </Button>
      </Tooltip>
      <Modal
        opened={isOpen}
        onClose={close}
        title={titleOf(shown)}
        styles={{ title: { overflowWrap: 'anywhere' } }}
        centered
        keepMounted={false}
        withCloseButton={false}
      >
        <ActionForm
          {...shown}
          attempt={attempt}
          differences={differences}
          reason={reason}
          onReason={setReason}
          onSubmit={() => {
            if (!attempt.isPending && !attempt.isHeld)
              setSent({ of: props.of, consequence: props.consequence, children: props.children });
            void attempt.run(() => props.variables(reason));
          }}
          onClose={close}
        />
      </Modal>
    </>
  );
}
