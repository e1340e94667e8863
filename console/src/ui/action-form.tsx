import { Alert, Button, type ButtonProps, Fieldset, Group, Stack, Text, TextInput } from '@mantine/core';
import { type FocusEvent, type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { FactorCheck, useFactorCheck } from './factor-check.tsx';
import { Failed } from './loading-empty-failed.tsx';
import { useMode } from './mode.ts';
import type { MutationCall } from './mutation-call.ts';

/** The platform refuses longer ones. What is pasted is not cut without a word. */
const reasonLengthMax = 200;

/** What the dialog of an action shows, whatever it sends. */
export interface ShownAction {
  /** What the button says, for example `Refund`. */
  name: string;
  /** What it acts on. The title and the submit button say the name with it, for example `payment of $25.00 to Tea Shop`. */
  of?: string | undefined;
  /** The consequence, in a sentence. */
  consequence: ReactNode;
  /** What the button that changes nothing says, where “Go back” could be taken for the action. */
  keep?: string;
  /** Whether it changes nothing of the business, so that live mode asks for no confirmation. */
  isHarmless?: boolean;
  /** Whether a reason is recorded with the action. */
  takesReason?: boolean;
  /** The fields besides the reason. */
  children?: ReactNode;
  color?: ButtonProps['color'];
}

/** What the title and the submit button of an action say. */
export const titleOf = ({ name, of }: Pick<ShownAction, 'name' | 'of'>): string => (of ? `${name} ${of}` : name);

/** A button whose label is shown in full, on several lines where it is long. */
const wholeLabel = {
  h: 'auto',
  mih: 36,
  py: 6,
  styles: { label: { whiteSpace: 'normal', overflowWrap: 'anywhere' } },
} as const;

interface ActionFormProps extends ShownAction {
  attempt: Pick<MutationCall<never>, 'isPending' | 'isRunning' | 'isHeld' | 'failure'>;
  /** What is said of an attempt that is pending. */
  pending?: string;
  /** What has changed since the person looked, a sentence each. */
  differences: readonly string[];
  reason: string;
  onReason(reason: string): void;
  onSubmit(): void;
  onClose(): void;
}

/** The dialog of an action: its consequence, its fields, and what became of an attempt. */
export function ActionForm(props: ActionFormProps) {
  const {
    consequence,
    keep = 'Go back',
    isHarmless = false,
    takesReason = true,
    children,
    color,
    attempt,
    pending = 'Result unknown. Retrying is safe: it cannot run twice.',
    differences,
    reason,
    onReason,
    onSubmit,
    onClose,
  } = props;
  const title = titleOf(props);
  const mustConfirm = useMode() === 'live' && !isHarmless;
  const [confirmation, setConfirmation] = useState('');
  const { isPending, isHeld, failure } = attempt;
  const check = useFactorCheck();
  const isRunning = attempt.isRunning || check.isRunning;
  const isTooLong = reason.length > reasonLengthMax;
  // The field that had the focus was disabled while it was sent.
  const button = useRef<HTMLButtonElement>(null);
  const wasRunning = useRef(false);
  useEffect(() => {
    if (wasRunning.current && !isRunning) button.current?.focus();
    wasRunning.current = isRunning;
  }, [isRunning]);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (isTooLong) return;
    if (isHeld) void check.verify().then((isVerified) => isVerified && onSubmit());
    else onSubmit();
  };
  return (
    <form onSubmit={submit} onFocus={keepFocus}>
      <Stack gap="sm">
        <Text size="sm">{consequence}</Text>
        <Fieldset variant="unstyled" disabled={isPending || isHeld || isRunning}>
          <Stack gap="sm">
            {children}
            {takesReason && (
              <TextInput
                label="Reason"
                description="Recorded in the audit log."
                required
                value={reason}
                error={
                  isTooLong && `At most ${reasonLengthMax} characters: these are ${reason.length.toLocaleString()}.`
                }
                onChange={({ currentTarget }) => onReason(currentTarget.value)}
              />
            )}
          </Stack>
        </Fieldset>
        {mustConfirm && (
          <TextInput
            label="Live mode. Type LIVE to confirm"
            required
            pattern="LIVE"
            value={confirmation}
            onChange={({ currentTarget }) => setConfirmation(currentTarget.value)}
            autoComplete="off"
          />
        )}
        {differences.length > 0 && (
          <Alert color="yellow" title="Data has changed" role="alert">
            <Text size="sm">{differences.join('. ')}.</Text>
            <Text size="sm">No action was taken. To continue, press “{title}” again.</Text>
          </Alert>
        )}
        {isHeld ? <FactorCheck check={check} /> : failure && <Failed error={failure} />}
        {isPending && <Alert color="yellow">{pending}</Alert>}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {keep}
          </Button>
          <Button
            ref={button}
            type="submit"
            {...wholeLabel}
            color={color}
            loading={isRunning}
            disabled={isTooLong || (mustConfirm && confirmation !== 'LIVE')}
          >
            {isPending ? 'Try again' : title}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/**
 * A dialog that opens focuses its first field twice, the second time a moment later, when another one can have the
 * focus. It focuses the one with this attribute instead.
 */
function keepFocus({ currentTarget, target }: FocusEvent<HTMLFormElement>): void {
  for (const one of currentTarget.querySelectorAll('[data-autofocus]')) one.removeAttribute('data-autofocus');
  target.setAttribute('data-autofocus', '');
}
