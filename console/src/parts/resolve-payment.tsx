import { Radio, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import { graphql } from '../graph/graphql.ts';
import { usePerson, whyNot } from '../shell/person.tsx';
import { Action } from './action.tsx';

const resolve = graphql(`
  mutation ResolvePayment($input: ResolvePaymentInput!) {
    resolvePayment(input: $input) { __typename }
  }
`);

const outcomes = {
  ask: 'Ask the processor once more',
  approved: 'The processor has it as approved',
  failed: 'The processor has nothing of it, or a failure',
} as const;
type Outcome = keyof typeof outcomes;
const known = Object.keys(outcomes) as Outcome[];

/** Ends the wait of a payment whose outcome at the processor is unknown. */
export function ResolvePayment({ paymentId, isOpen }: { paymentId: string; isOpen: boolean }) {
  const refused = whyNot(usePerson(), 'hub');
  const [outcome, setOutcome] = useState<Outcome>('ask');
  const [reference, setReference] = useState('');
  return (
    <Action
      name="Resolve"
      document={resolve}
      seen={{ Payment: isOpen ? 'waits for its processor' : 'waits for nothing' }}
      refused={refused ?? (isOpen ? undefined : 'Nothing of the payment waits for its processor.')}
      consequence={
        outcome === 'ask'
          ? 'The processor is asked at once. Nothing is decided here.'
          : 'Books, order and events follow what you say. Look at the processor first: this cannot be taken back.'
      }
      variables={(note) => ({
        input: { paymentId, outcome, note, processorReference: outcome === 'approved' ? reference : null },
      })}
    >
      <Radio.Group
        label="What is known"
        value={outcome}
        onChange={(value) => setOutcome(known.find((choice) => choice === value) ?? 'ask')}
      >
        <Stack gap="xs" mt={4}>
          {known.map((choice) => (
            <Radio key={choice} value={choice} label={outcomes[choice]} />
          ))}
        </Stack>
      </Radio.Group>
      {outcome === 'approved' && (
        <TextInput
          label="Reference at the processor"
          required
          value={reference}
          onChange={({ currentTarget }) => setReference(currentTarget.value)}
        />
      )}
    </Action>
  );
}
