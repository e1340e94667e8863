import { Group } from '@mantine/core';
import { useState } from 'react';
import * as enums from '../graph/enums.ts';
import { graphql, type ResultOf } from '../graph/graphql.ts';
import { Action } from '../ui/action.tsx';
import { humanize } from '../ui/format.ts';
import { choice } from '../ui/list-definition.ts';
import { listPage } from '../ui/list-page.tsx';
import { PartnerLink } from '../ui/object-link.tsx';
import { refusalReason, usePerson } from '../ui/person.tsx';
import { Status } from '../ui/status.tsx';
import { Time } from '../ui/time.tsx';
import { type CreatedKey, NewSecret } from './api-key-actions.tsx';

const KeyRequestRow = graphql(`
  fragment KeyRequestRow on PartnerKeyRequest {
    id label allowedIps keyExpiresAt reason status requestedByEmail isOwn decidedByEmail decisionReason endsAt createdAt
    partner @include(if: $isHub) { name slug }
  }
`);
type Request = ResultOf<typeof KeyRequestRow>;

const document = graphql(
  `
  query KeyRequests(
    $mode: Mode!, $page: PageNumber, $pageSize: PageSize, $filters: PartnerKeyRequestFilters, $partnerSlug: Slug,
    $isHub: Boolean!
  ) {
    list: partnerKeyRequests(mode: $mode, page: $page, pageSize: $pageSize, filters: $filters, partnerSlug: $partnerSlug) {
      total
      totalPages
      items { ...KeyRequestRow }
    }
  }
`,
  [KeyRequestRow],
);

export const KeyRequests = listPage({
  title: 'Key approvals',
  about:
    'Partner keys that need a second approver. Requests expire after 72 hours. The requester then creates the key.',
  right: 'directory',
  byPartner: true,
  document,
  columns: [
    { name: 'Label', cell: ({ label }) => label },
    { name: 'Partner', needs: 'hub', cell: ({ partner }) => <PartnerLink partner={partner} /> },
    { name: 'Status', cell: ({ status }) => <Status of={status} /> },
    {
      name: 'Requested by',
      cell: ({ requestedByEmail, isOwn }) => (isOwn ? `${requestedByEmail} (you)` : requestedByEmail),
    },
    { name: 'Reason', cell: ({ reason }) => <span className="long">{reason}</span> },
    { name: 'Allowed IPs', cell: ({ allowedIps }) => <span className="long">{allowedIps.join(', ')}</span> },
    { name: 'Key expires', cell: ({ keyExpiresAt }) => <Time at={keyExpiresAt} /> },
    { name: 'Requested', cell: ({ createdAt }) => <Time at={createdAt} /> },
    {
      name: 'Decision',
      cell: ({ status, endsAt, decidedByEmail, decisionReason }) =>
        status === 'pending' ? (
          <>
            until <Time at={endsAt} far />
          </>
        ) : (
          [decidedByEmail, decisionReason].filter(Boolean).join(': ')
        ),
    },
    { name: 'Actions', cell: (request) => <RequestActions request={request} /> },
  ],
  filters: [choice('status', 'Status', enums.PartnerKeyRequestStatus)],
  keyOf: ({ id }) => id,
  noun: 'requests',
  comes: 'A request of internal staff for a partner key appears here.',
});

const approve = graphql(`
  mutation ApproveKey($requestId: ID!, $reason: Name!) {
    approvePartnerKeyRequest(requestId: $requestId, reason: $reason) { id status }
  }
`);
const reject = graphql(`
  mutation RejectKey($requestId: ID!, $reason: Name!) {
    rejectPartnerKeyRequest(requestId: $requestId, reason: $reason) { id status }
  }
`);
const withdraw = graphql(`
  mutation WithdrawKey($requestId: ID!, $reason: Name!) {
    withdrawPartnerKeyRequest(requestId: $requestId, reason: $reason) { id status }
  }
`);
const issue = graphql(`
  mutation IssueKey($requestId: ID!) {
    issuePartnerKey(requestId: $requestId) { id secret }
  }
`);

/** Approve and reject the requests of others; withdraw one's own, or make the key once it is approved. */
function RequestActions({ request }: { request: Request }) {
  const { id: requestId, label, status, isOwn, requestedByEmail, partner } = request;
  const person = usePerson();
  const ofPartner = `of ${partner?.name ?? person.partnerSlug}`;
  const refused = refusalReason(person, 'admin');
  const notOwn = refused ?? (isOwn ? 'You cannot decide your own request.' : undefined);
  const [created, setCreated] = useState<CreatedKey>();
  const shared = { of: `“${label}” ${ofPartner}`, seen: { Status: humanize(status) } };
  const variables = (reason: string) => ({ requestId, reason });
  return (
    <Group gap="xs" wrap="nowrap">
      <NewSecret of={created} onClose={() => setCreated(undefined)} />
      <Action
        {...shared}
        name="Approve"
        color="green"
        document={approve}
        isOffered={status === 'pending'}
        refused={notOwn}
        consequence={`${requestedByEmail} can create the key “${label}” for 72 hours. It has every right ${ofPartner}.`}
        variables={variables}
      />
      <Action
        {...shared}
        name="Reject"
        color="red"
        document={reject}
        isOffered={status === 'pending'}
        refused={notOwn}
        consequence={`The key is not created. ${requestedByEmail} can read your reason.`}
        variables={variables}
      />
      <Action
        {...shared}
        name="Withdraw"
        keep="Keep request"
        document={withdraw}
        isOffered={status === 'pending' && isOwn}
        refused={refused}
        consequence="The key is not created. You can request it again."
        variables={variables}
      />
      <Action
        {...shared}
        name="Create key"
        takesReason={false}
        document={issue}
        isOffered={status === 'approved' && isOwn}
        refused={refused}
        consequence="Creates the key. Its secret is shown once."
        variables={() => ({ requestId })}
        onDone={({ issuePartnerKey: made }) => setCreated(made ?? undefined)}
      />
    </Group>
  );
}
