import { Checkbox } from '@mantine/core';
import { useState } from 'react';
import { graphql } from '../graph/graphql.ts';
import { usePerson, whyNot } from '../shell/person.tsx';
import { Action } from './action.tsx';
import { inWords } from './format.ts';

const cancel = graphql(`
  mutation CancelSubscription($subscriptionId: ID!, $cancelAtPeriodEnd: Boolean, $reason: Name!) {
    operatorCancelSubscription(
      subscriptionId: $subscriptionId, cancelAtPeriodEnd: $cancelAtPeriodEnd, reason: $reason
    ) { id status }
  }
`);

/** Cancels a subscription, now or at the end of what is paid. */
export function SubscriptionActions({
  subscription: { id, status, cancelAtPeriodEnd },
}: {
  subscription: { id: string; status: string; cancelAtPeriodEnd: boolean };
}) {
  const [atEnd, setAtEnd] = useState(true);
  const refused = whyNot(usePerson(), 'hub');
  return (
    <Action
      name="Cancel"
      color="red"
      document={cancel}
      seen={{ Status: inWords(status), End: cancelAtPeriodEnd ? 'with the paid period' : 'open' }}
      isRepeatable
      refused={refused ?? (status === 'canceled' ? 'The subscription has ended already.' : undefined)}
      consequence={atEnd ? 'It ends with the period that is paid.' : 'It ends now. Nothing is refunded by this.'}
      variables={(reason) => ({ subscriptionId: id, cancelAtPeriodEnd: atEnd, reason })}
    >
      <Checkbox
        label="At the end of the paid period"
        checked={atEnd}
        onChange={({ currentTarget }) => setAtEnd(currentTarget.checked)}
      />
    </Action>
  );
}
