import { Group } from '@mantine/core';
import { graphql, type ResultOf } from '../graph/graphql.ts';
import { Action } from '../ui/action.tsx';
import { humanize } from '../ui/format.ts';
import type { Seen } from '../ui/stale-check.ts';

const reveal = graphql(`
  mutation RevealKyb($platformAccountId: ID!, $reason: Name!) {
    revealKyb(platformAccountId: $platformAccountId, reason: $reason) { requirements { code value } }
  }
`);
const approve = graphql(`
  mutation ApproveKyb($platformAccountId: ID!, $submittedAt: DateTime) {
    approveKyb(platformAccountId: $platformAccountId, submittedAt: $submittedAt) { account { id kybStatus } }
  }
`);
const reject = graphql(`
  mutation RejectKyb($platformAccountId: ID!, $reason: Name!, $submittedAt: DateTime) {
    rejectKyb(platformAccountId: $platformAccountId, reason: $reason, submittedAt: $submittedAt) { account { id kybStatus } }
  }
`);

/** What the merchant sent, by requirement. */
export type Revealed = NonNullable<ResultOf<typeof reveal>['revealKyb']>['requirements'];

interface KybActionsProps {
  account: { id: string; legalName: string };
  /** Of the submission that the page shows: a later one is not decided by this. */
  submittedAt: string | null;
  /** What the page shows of the review, on which it is decided. */
  seen: Seen;
  refused: string | undefined;
  onReveal(revealed: Revealed): void;
}

/** Reveals what the merchant sent, and decides the whole review. */
export function KybActions({ account, submittedAt, seen, refused, onReveal }: KybActionsProps) {
  const { id: platformAccountId, legalName } = account;
  return (
    <>
      <Action
        name="Reveal values"
        of={`of ${legalName}`}
        document={reveal}
        refused={refused}
        consequence="Shows the submitted values. Your access and reason are recorded in the audit log."
        variables={(reason) => ({ platformAccountId, reason })}
        onDone={({ revealKyb }) => onReveal(revealKyb?.requirements ?? [])}
      />
      <Action
        name="Approve"
        of={legalName}
        color="green"
        document={approve}
        seen={seen}
        refused={refused}
        takesReason={false}
        consequence="The account can charge real cards."
        variables={() => ({ platformAccountId, submittedAt })}
      />
      <Action
        name="Reject"
        of={legalName}
        color="red"
        document={reject}
        seen={seen}
        refused={refused}
        consequence="The merchant sees the reason and can submit again."
        variables={(reason) => ({ platformAccountId, reason, submittedAt })}
      />
    </>
  );
}

const review = graphql(`
  mutation ReviewKyb($platformAccountId: ID!, $code: KybCode!, $decision: KybDecision!, $reason: Name) {
    reviewKybRequirement(platformAccountId: $platformAccountId, code: $code, decision: $decision, reason: $reason) { account { id } }
  }
`);

interface DecisionsProps {
  account: { id: string; legalName: string };
  requirement: { code: string; description: string; status: string };
  refused: string | undefined;
}

/** Approves or rejects one requirement that was submitted. */
export function Decisions({ account, requirement, refused }: DecisionsProps) {
  const { id: platformAccountId, legalName } = account;
  const { code, description, status } = requirement;
  const of = `“${description}” of ${legalName}`;
  const isOpen = status === 'submitted';
  const closed = isOpen ? undefined : 'Not submitted yet.';
  return (
    <Group gap="xs">
      <Action
        name="Approve requirement"
        of={of}
        color="green"
        document={review}
        seen={{ Status: humanize(status) }}
        refused={refused ?? closed}
        takesReason={false}
        consequence="This requirement is fulfilled."
        variables={() => ({ platformAccountId, code, decision: 'approved' as const })}
      />
      <Action
        name="Reject requirement"
        of={of}
        color="red"
        document={review}
        seen={{ Status: humanize(status) }}
        refused={refused ?? closed}
        consequence="The merchant sees the reason and must submit this requirement again."
        variables={(reason) => ({ platformAccountId, code, decision: 'rejected' as const, reason })}
      />
    </Group>
  );
}
