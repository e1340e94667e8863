import { Checkbox, NumberInput, TextInput } from '@mantine/core';
import { useState } from 'react';
import { graphql } from '../graph/graphql.ts';
import { Action } from '../ui/action.tsx';
import { percentText } from '../ui/format.ts';
import { refusalReason, usePerson } from '../ui/person.tsx';

const switchDocument = graphql(`
  mutation SwitchTestProcessor($processorId: ID!, $options: JSONObject!) {
    updateProcessor(processorId: $processorId, input: { options: $options }) { id options }
  }
`);

const shares = [
  { name: 'declineRate', label: 'Declined', about: 'Share of charges that are declined, regardless of the card.' },
  { name: 'errorRate', label: 'Failing', about: 'Share of calls that fail with an error. A cascade continues.' },
  {
    name: 'lostAnswerRate',
    label: 'Timeout',
    about: 'Share of calls that succeed but return no response: their outcome is unknown until it is resolved.',
  },
] as const;

interface Switches {
  declineRate: number;
  errorRate: number;
  lostAnswerRate: number;
  latencyMs: number;
  declineCode: string;
  down: boolean;
}

const off: Switches = {
  declineRate: 0,
  errorRate: 0,
  lostAnswerRate: 0,
  latencyMs: 0,
  declineCode: 'card_declined',
  down: false,
};

interface SwitchedProcessor {
  id: string;
  name: string;
  type: string;
  livemode: boolean;
  options: Record<string, unknown>;
  account: { legalName: string } | null;
}

const switchesOf = ({ options }: SwitchedProcessor): Switches => ({ ...off, ...(options as Partial<Switches>) });

/** What a processor simulates, in words. */
export function simulated(processor: SwitchedProcessor): string {
  if (processor.type !== 'test') return '';
  const { down, declineRate, declineCode, errorRate, lostAnswerRate, latencyMs } = switchesOf(processor);
  const words = [
    down && 'is down',
    declineRate > 0 && `declines ${percentText(declineRate)} with ${declineCode}`,
    errorRate > 0 && `fails ${percentText(errorRate)}`,
    lostAnswerRate > 0 && `loses ${percentText(lostAnswerRate)} of responses`,
    latencyMs > 0 && `responds after ${latencyMs.toLocaleString()} ms`,
  ].filter(Boolean);
  return words.length === 0 ? 'no failures' : words.join(', ');
}

/** The switches of a test processor. */
export function ProcessorSwitches({ processor }: { processor: SwitchedProcessor }) {
  const [changed, setChanged] = useState<Partial<Switches>>({});
  const refused = refusalReason(usePerson(), 'admin');
  const switches = { ...switchesOf(processor), ...changed };
  const change = (part: Partial<Switches>): void => setChanged({ ...changed, ...part });
  return (
    <Action
      name="Simulate failures"
      of={`of ${processor.name}`}
      takesReason={false}
      document={switchDocument}
      seen={{ Simulates: simulated(processor) }}
      refused={refused ?? (isTest(processor) ? undefined : 'Requires a test processor.')}
      consequence={`Simulated by ${processor.name} for all charges of ${processor.account?.legalName ?? 'the account'} in test mode.`}
      variables={() => ({ processorId: processor.id, options: changed })}
      onDone={() => setChanged({})}
    >
      <Checkbox
        label="Down"
        description="Simulates an outage. Payments stay processing until it ends."
        checked={switches.down}
        onChange={({ currentTarget }) => change({ down: currentTarget.checked })}
      />
      {shares.map(({ name, label, about }) => (
        <NumberInput
          key={name}
          label={`${label}, in percent`}
          description={about}
          min={0}
          max={100}
          value={Math.round(switches[name] * 1000) / 10}
          onChange={(percent) => change({ [name]: Number(percent) / 100 })}
          hideControls
        />
      ))}
      <TextInput
        label="Decline code"
        description="Code of simulated declines. An unknown code is refused with the list of all codes."
        required
        value={switches.declineCode}
        onChange={({ currentTarget }) => change({ declineCode: currentTarget.value })}
      />
      <NumberInput
        label="Latency in milliseconds"
        description="At most 30,000. Above the timeout the outcome is unknown."
        min={0}
        max={30_000}
        allowDecimal={false}
        value={switches.latencyMs}
        onChange={(ms) => change({ latencyMs: Number(ms) })}
        hideControls
      />
    </Action>
  );
}

const isTest = ({ type, livemode }: SwitchedProcessor): boolean => type === 'test' && !livemode;
