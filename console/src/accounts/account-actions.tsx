import { Select } from '@mantine/core';
import { useState } from 'react';
import * as enums from '../graph/enums.ts';
import { graphql } from '../graph/graphql.ts';
import { Action } from '../ui/action.tsx';
import { humanize } from '../ui/format.ts';
import { refusalReason, usePerson } from '../ui/person.tsx';

const suspend = graphql(`
  mutation SuspendAccount($platformAccountId: ID!, $reason: Name) {
    suspendAccount(platformAccountId: $platformAccountId, reason: $reason) { id status }
  }
`);
const activate = graphql(`
  mutation ActivateAccount($platformAccountId: ID!) {
    activateAccount(platformAccountId: $platformAccountId) { id status }
  }
`);
const close = graphql(`
  mutation CloseAccount($platformAccountId: ID!, $reason: Name!) {
    closeAccount(platformAccountId: $platformAccountId, reason: $reason) { id status }
  }
`);
const setPlan = graphql(`
  mutation SetPlan($platformAccountId: ID!, $plan: Plan!) {
    setAccountPlan(platformAccountId: $platformAccountId, plan: $plan) { id plan }
  }
`);

interface Account {
  id: string;
  legalName: string;
  status: string;
  plan: 'standard' | 'premium';
}

/** Activate or suspend, change the plan, close. */
export function AccountActions({ account: { id: platformAccountId, legalName, status, plan } }: { account: Account }) {
  const person = usePerson();
  const hub = refusalReason(person, 'hub');
  const [chosen, setChosen] = useState<'standard' | 'premium'>();
  const seen = { Status: humanize(status), Plan: plan };
  const isInactive = status === 'suspended' || status === 'pending_operator_assignment';
  return (
    <>
      <Action
        name="Activate"
        of={legalName}
        color="green"
        document={activate}
        seen={seen}
        isOffered={isInactive}
        refused={hub}
        takesReason={false}
        consequence="The account can charge again."
        variables={() => ({ platformAccountId })}
      />
      <Action
        name="Suspend"
        keep="Keep account active"
        of={legalName}
        color="red"
        document={suspend}
        seen={seen}
        isOffered={!isInactive}
        refused={hub ?? (status === 'closed' ? 'The account is closed.' : undefined)}
        consequence="The account cannot charge. Refunds and voids remain available."
        variables={(reason) => ({ platformAccountId, reason })}
      />
      <Action
        name="Change plan"
        of={`of ${legalName}`}
        document={setPlan}
        seen={seen}
        refused={hub}
        takesReason={false}
        consequence="The plan sets the rate limit of the account."
        variables={() => ({ platformAccountId, plan: chosen ?? plan })}
        onDone={() => setChosen(undefined)}
      >
        <Select
          label="Plan"
          data={[...enums.Plan]}
          value={chosen ?? plan}
          allowDeselect={false}
          onChange={(value) => value && setChosen(value)}
        />
      </Action>
      <Action
        name="Close account"
        keep="Keep account open"
        of={legalName}
        color="red"
        document={close}
        seen={seen}
        refused={hub ?? (status === 'closed' ? 'The account is closed.' : undefined)}
        consequence="The account can no longer charge. Its keys are revoked. This cannot be undone."
        variables={(reason) => ({ platformAccountId, reason })}
      />
    </>
  );
}
