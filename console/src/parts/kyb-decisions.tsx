import { Group } from '@mantine/core';
import { graphql } from '../graph/graphql.ts';
import { Action } from './action.tsx';
import { inWords } from './format.ts';

const review = graphql(`
  mutation ReviewKyb($accountId: ID!, $code: KybCode!, $decision: KybDecision!, $reason: Name) {
    reviewKybRequirement(accountId: $accountId, code: $code, decision: $decision, reason: $reason) { account { id } }
  }
`);

interface DecisionsProps {
  accountId: string;
  code: string;
  status: string;
  refused: string | undefined;
}

/** Accepts or refuses one requirement that was submitted. */
export function Decisions({ accountId, code, status, refused }: DecisionsProps) {
  const isOpen = status === 'submitted';
  const closed = isOpen ? undefined : 'There is nothing submitted to decide.';
  return (
    <Group gap="xs">
      <Action
        name="Accept"
        color="green"
        document={review}
        seen={{ Status: inWords(status) }}
        refused={refused ?? closed}
        takesReason={false}
        consequence="This requirement is fulfilled."
        variables={() => ({ accountId, code, decision: 'approved' as const })}
      />
      <Action
        name="Refuse"
        color="red"
        document={review}
        seen={{ Status: inWords(status) }}
        refused={refused ?? closed}
        consequence="The merchant is told the reason and must send it again."
        variables={(reason) => ({ accountId, code, decision: 'rejected' as const, reason })}
      />
    </Group>
  );
}
