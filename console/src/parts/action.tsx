import { Button, Modal, Tooltip } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { TadaDocumentNode } from 'gql.tada';
import { useState } from 'react';
import { ActionForm, type ShownAction } from './action-form.tsx';
import { useAttempt } from './attempt.ts';
import { type Probe, useProbe } from './probe.ts';

export interface ActionProps<Data, Variables> extends ShownAction {
  document: TadaDocumentNode<Data, Variables>;
  /** The variables for the reason that was typed. Throws an error whose message is shown. */
  variables(reason: string): Variables;
  /** Why the button is disabled; undefined if it is not. */
  refused?: string | undefined;
  /** Asks the platform whether it would be refused. */
  probe?: Probe;
  /** Whether the mutation honors an Idempotency-Key: it is then sent again until its outcome is known. */
  isRepeatable?: boolean;
  onDone?: (data: Data) => void;
  /** What became of it, where that is not always the same. */
  outcome?: (data: Data) => string;
}

/**
 * A button that asks before it acts. What was typed and an attempt whose outcome is unknown outlive the dialog. Of two that
 * take turns at one place each has a `key`: one must not go on with the attempt of the other.
 */
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
