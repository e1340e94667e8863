import { notifications } from '@mantine/notifications';
import { useQueryClient } from '@tanstack/react-query';
import type { TadaDocumentNode } from 'gql.tada';
import { useRef, useState } from 'react';
import { ask } from '../graph/ask.ts';
import { type Failure, failureOf } from '../graph/failure.ts';

interface MutationCallOptions<Data, Variables> {
  name: string;
  document: TadaDocumentNode<Data, Variables>;
  /** Whether what is acted on is no longer what the person saw. Then nothing is sent. */
  differs(): Promise<boolean>;
  outcome(data: Data): string;
  onDone(data: Data): void;
}

export interface MutationCall<Variables> {
  /** The same call is sent again by the next `run`, whatever its variables are: its outcome is not known. */
  isPending: boolean;
  isRunning: boolean;
  /** The same call is sent again by the next `run`: it was refused because of the age of the second factor alone. */
  isHeld: boolean;
  failure: Failure | undefined;
  run(variables: () => Variables): Promise<void>;
  /** Gives up the call that is held. */
  drop(): void;
}

/**
 * Sends a mutation. From its first attempt until the outcome is known, its key and its variables are kept and sent
 * unchanged: other variables under the key would be refused, and a new key would do it twice.
 */
export function useMutationCall<Data, Variables>(
  options: MutationCallOptions<Data, Variables>,
): MutationCall<Variables> {
  const { name, document, differs, outcome, onDone } = options;
  const client = useQueryClient();
  const [kept, keep] = useState<{ key: string; variables: Variables }>();
  const [held, hold] = useState<typeof kept>();
  const [isRunning, setIsRunning] = useState(false);
  const [failure, setFailure] = useState<Failure>();
  // Read before the page is drawn again: two presses of a button can come in between.
  const isSending = useRef(false);
  const run = async (variables: () => Variables): Promise<void> => {
    if (isSending.current) return;
    isSending.current = true;
    setIsRunning(true);
    setFailure(undefined);
    try {
      if (!kept && (await differs())) return hold(undefined);
      const call = kept ?? held ?? { key: crypto.randomUUID(), variables: variables() };
      keep(call);
      hold(call);
      const data = await ask(document, call.variables, { idempotencyKey: call.key });
      keep(undefined);
      hold(undefined);
      notifications.show({
        message: `${name}: ${outcome(data)}.`,
        color: 'green',
        closeButtonProps: { 'aria-label': 'Dismiss' },
      });
      onDone(data);
      void client.invalidateQueries();
    } catch (error) {
      const refusal = failureOf(error);
      const isResolved = kept ? refusal.resolvesEarlier : !refusal.isUnknown;
      if (isResolved) keep(undefined);
      if (!refusal.needsFreshFactor) hold(undefined);
      setFailure(refusal);
      // What the page shows may be old by now: another user has changed it, or this attempt has. Without a session every
      // read would be refused too.
      if (!refusal.isSignedOut) void client.invalidateQueries();
    } finally {
      isSending.current = false;
      setIsRunning(false);
    }
  };
  const drop = (): void => {
    if (held === undefined || isRunning) return;
    hold(undefined);
    setFailure(undefined);
  };
  return {
    isPending: kept !== undefined && !isRunning,
    isRunning,
    isHeld: held !== undefined && !isRunning,
    failure,
    run,
    drop,
  };
}
