import { Button, Group, TextInput } from '@mantine/core';
import { useState } from 'react';
import { graphql } from '../graph/graphql.ts';
import { serverNow } from '../graph/server-time.ts';
import { Action } from '../ui/action.tsx';
import { humanize, localTime } from '../ui/format.ts';
import { isoOf, MomentField } from '../ui/moment-field.tsx';
import { useListedAccount } from '../ui/object-picker.tsx';
import { refusalReason, usePerson } from '../ui/person.tsx';
import { fieldText } from '../ui/time-zone.ts';

const create = graphql(`
  mutation CreateTestClock($platformAccountId: ID!, $name: Label!, $now: DateTime!) {
    createTestClock(platformAccountId: $platformAccountId, input: { name: $name, now: $now }) { id }
  }
`);
const advance = graphql(`
  mutation AdvanceTestClock($testClockId: ID!, $to: DateTime!) {
    advanceTestClock(testClockId: $testClockId, to: $to) { id status stepsDone failureReason }
  }
`);

/** Makes a clock in an account of test mode: the one that the list is filtered by. */
export function NewTestClock() {
  const account = useListedAccount();
  const [name, setName] = useState('');
  const [now, setNow] = useState(() => fieldText(new Date(serverNow())));
  return (
    <Action
      name="Create test clock"
      takesReason={false}
      document={create}
      refused={refusalReason(usePerson(), 'admin')}
      consequence="Customers created with it use its time. It cannot be deleted."
      variables={() => ({ platformAccountId: account.id, name, now: isoOf(now) })}
      onDone={() => setName('')}
    >
      {account.field}
      <TextInput label="Name" required value={name} onChange={({ currentTarget }) => setName(currentTarget.value)} />
      <MomentField label="Clock time" required value={now} onChange={setNow} />
    </Action>
  );
}

const leaps = [
  { name: '1 day', days: 1 },
  { name: '1 week', days: 7 },
  { name: '1 month', months: 1 },
  { name: '1 year', months: 12 },
];

interface AdvancedClock {
  id: string;
  name: string;
  now: string;
  status: string;
}

/** Advances a clock to a moment, or by a leap. */
export function AdvanceTestClock({ clock: { id, name: clockName, now, status } }: { clock: AdvancedClock }) {
  const [typed, setTyped] = useState<string>();
  const leap = ({ days = 0, months = 0 }: { days?: number; months?: number }): void => {
    const to = new Date(now);
    to.setUTCMonth(to.getUTCMonth() + months);
    to.setUTCDate(to.getUTCDate() + days);
    setTyped(fieldText(to));
  };
  const refused = refusalReason(usePerson(), 'admin');
  return (
    <Action
      name="Advance"
      of={`test clock ${clockName}`}
      takesReason={false}
      document={advance}
      seen={{ 'Clock time': localTime(now), Status: humanize(status) }}
      refused={refused ?? (status === 'advancing' ? 'Already advancing.' : undefined)}
      consequence="Runs everything that is due until then in chronological order: charges, retries, webhooks. A test clock cannot go back."
      variables={() => ({ testClockId: id, to: isoOf(typed ?? fieldText(new Date(now))) })}
      outcome={({ advanceTestClock: done }) => advanceResult(done)}
      onDone={() => setTyped(undefined)}
    >
      <Group gap="xs" role="group" aria-label="Quick advance">
        {leaps.map(({ name, ...by }) => (
          <Button key={name} size="xs" variant="default" onClick={() => leap(by)}>
            {name}
          </Button>
        ))}
      </Group>
      <MomentField
        label="To"
        description="At most 731 days ahead."
        required
        value={typed ?? fieldText(new Date(now))}
        onChange={setTyped}
      />
    </Action>
  );
}

function advanceResult(done: { status: string; stepsDone: number } | null): string {
  if (done?.status === 'advancing') return 'continues in the background';
  if (done?.status === 'internal_failure') return 'failed before the end';
  return done?.stepsDone === 1 ? 'done, 1 step' : `done, ${done?.stepsDone ?? 0} steps`;
}
