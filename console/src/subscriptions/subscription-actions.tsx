import { Checkbox } from '@mantine/core';
import { useState } from 'react';
import { graphql } from '../graph/graphql.ts';
import { Action } from '../ui/action.tsx';
import { every, humanize, localTime, moneyText } from '../ui/format.ts';
import { isoOf, MomentField } from '../ui/moment-field.tsx';
import { refusalReason, usePerson } from '../ui/person.tsx';

const cancel = graphql(`
  mutation CancelSubscription($input: CancelSubscriptionInput!, $reason: Name!) {
    cancelSubscription(input: $input, reason: $reason) { __typename }
  }
`);

/** What a subscription is called by: its customer and its price. */
interface Named {
  amount: number;
  currency: string;
  interval: string;
  intervalCount: number;
  customer: { email: string } | null;
}

function nameOf(subscription: Named): string {
  const { amount, currency, customer } = subscription;
  const price = `${moneyText(amount, currency)} every ${every(subscription)}`;
  return `subscription of ${customer ? `${customer.email}, ${price}` : price}`;
}

/** Cancels a subscription, now or at the end of what is paid. */
export function SubscriptionActions({
  subscription,
}: {
  subscription: Named & { id: string; status: string; cancelAtPeriodEnd: boolean };
}) {
  const { id, status, cancelAtPeriodEnd } = subscription;
  const [atEnd, setAtEnd] = useState(true);
  const refused = refusalReason(usePerson(), 'admin');
  return (
    <Action
      name="Cancel"
      keep="Keep subscription"
      of={nameOf(subscription)}
      color="red"
      document={cancel}
      seen={{ Status: humanize(status), Cancellation: cancelAtPeriodEnd ? 'at period end' : null }}
      refused={refused ?? (status === 'canceled' ? 'The subscription has already ended.' : undefined)}
      consequence={atEnd ? 'Cancels at the end of the paid period.' : 'Cancels immediately without a refund.'}
      variables={(reason) => ({ input: { subscriptionId: id, cancelAtPeriodEnd: atEnd }, reason })}
    >
      <Checkbox
        label="At the end of the paid period"
        checked={atEnd}
        onChange={({ currentTarget }) => setAtEnd(currentTarget.checked)}
      />
    </Action>
  );
}

const pause = graphql(`
  mutation PauseSubscription($input: PauseSubscriptionInput!, $reason: Name!) {
    pauseSubscription(input: $input, reason: $reason) { id status }
  }
`);
const resume = graphql(`
  mutation ResumeSubscription($subscriptionId: ID!, $reason: Name!) {
    resumeSubscription(subscriptionId: $subscriptionId, reason: $reason) { id status }
  }
`);

interface Pausable extends Named {
  id: string;
  status: string;
  resumeAt: string | null;
}

/** Pauses a subscription, with or without an end, or resumes it. */
export function PauseOrResume({ subscription }: { subscription: Pausable }) {
  const { id, status, resumeAt } = subscription;
  const refused =
    refusalReason(usePerson(), 'hub') ?? (status === 'canceled' ? 'The subscription has ended.' : undefined);
  const [until, setUntil] = useState('');
  const isPaused = status === 'paused';
  const seen = { Status: humanize(status), Resumes: resumeAt && localTime(resumeAt) };
  return (
    <>
      <Action
        name="Resume"
        of={nameOf(subscription)}
        color="green"
        document={resume}
        seen={seen}
        isOffered={isPaused}
        refused={refused}
        consequence="Billing resumes on the next billing date."
        variables={(reason) => ({ subscriptionId: id, reason })}
      />
      <Action
        name="Pause"
        of={nameOf(subscription)}
        document={pause}
        seen={seen}
        isOffered={!isPaused}
        refused={refused}
        consequence="No charges while paused. Paid periods stay paid."
        variables={(reason) => ({
          input: { subscriptionId: id, resumeAt: until === '' ? null : isoOf(until) },
          reason,
        })}
        onDone={() => setUntil('')}
      >
        <MomentField
          label="Until"
          description="Leave empty to pause until it is resumed."
          value={until}
          onChange={setUntil}
        />
      </Action>
    </>
  );
}
