import { Group } from '@mantine/core';
import { graphql, type ResultOf } from '../graph/graphql.ts';
import { Action } from '../ui/action.tsx';
import { bulkAction } from '../ui/bulk-action.ts';
import { DataTable } from '../ui/data-table.tsx';
import { Section } from '../ui/facts.tsx';
import { humanize, moneyText } from '../ui/format.ts';
import type { Column } from '../ui/list-definition.ts';
import { Money } from '../ui/money.tsx';
import { refusalReason, usePerson } from '../ui/person.tsx';
import { Below, Status } from '../ui/status.tsx';
import { Time } from '../ui/time.tsx';

export const RequestRow = graphql(`
  fragment RequestRow on RefundRequest {
    id paymentId amount currency status reason isOwn cancelSubscription
    requestedByEmail decidedByEmail decisionReason expiresAt createdAt
    account { legalName }
  }
`);

type Request = ResultOf<typeof RequestRow>;

/** What a list of requests shows of each. */
export const requestColumns: readonly Column<Request>[] = [
  { name: 'Amount', right: true, cell: (row) => <Money {...row} /> },
  { name: 'Status', cell: ({ status }) => <Status of={status} /> },
  {
    name: 'Requested by',
    cell: ({ requestedByEmail, isOwn, createdAt }) => (
      <>
        {isOwn ? `${requestedByEmail} (you)` : requestedByEmail}
        <Below>
          <Time at={createdAt} />
        </Below>
      </>
    ),
  },
  {
    name: 'Reason',
    cell: ({ reason, cancelSubscription }) => (
      <span className="long">{cancelSubscription ? `${reason} (cancels the subscription)` : reason}</span>
    ),
  },
  {
    name: 'Decision',
    cell: ({ status, expiresAt, decidedByEmail, decisionReason }) =>
      status === 'pending' ? (
        <>
          until <Time at={expiresAt} far />
        </>
      ) : (
        <span className="long">{[decidedByEmail, decisionReason].filter(Boolean).join(': ')}</span>
      ),
  },
  { name: 'Actions', cell: (request) => <RequestActions request={request} /> },
];

/** The refunds of a payment for which a second person was needed. Nothing if there are none. */
export function RefundRequestsOf({ requests }: { requests: readonly Request[] | null }) {
  if (!requests?.length) return null;
  return (
    <Section title="Refunds awaiting approval">
      <DataTable label="Refunds awaiting approval" columns={requestColumns} rows={requests} keyOf={({ id }) => id} />
    </Section>
  );
}

const approve = graphql(`
  mutation ApproveRefund($requestId: ID!, $reason: Name!) {
    approveRefundRequest(requestId: $requestId, reason: $reason) { refund { status } }
  }
`);
const reject = graphql(`
  mutation RejectRefund($requestId: ID!, $reason: Name!) {
    rejectRefundRequest(requestId: $requestId, reason: $reason) { id status }
  }
`);
const withdraw = graphql(`
  mutation WithdrawRefund($requestId: ID!, $reason: Name!) {
    withdrawRefundRequest(requestId: $requestId, reason: $reason) { id status }
  }
`);

interface ActedRequest {
  id: string;
  amount: number;
  currency: string;
  status: string;
  isOwn: boolean;
  requestedByEmail: string;
  account: { legalName: string } | null;
}

const ownRequest = 'You cannot decide your own request.';
const nameOf = ({ amount, currency, account }: ActedRequest): string =>
  `refund of ${moneyText(amount, currency)} by ${account?.legalName}`;

function ofAll(name: string, color: string, document: typeof approve | typeof reject, consequence: string) {
  return bulkAction({
    name,
    color,
    right: 'admin',
    document,
    consequence,
    variables: ({ id }: ActedRequest, reason) => ({ requestId: id, reason }),
    nameOf,
    skipped({ status, isOwn }) {
      if (status !== 'pending') return `Already ${humanize(status)}.`;
      return isOwn ? ownRequest : undefined;
    },
  });
}

/** The decisions that can be made on several requests. */
export const decisions = [
  ofAll('Approve', 'green', approve, 'Each amount is refunded to its card immediately, as requested.'),
  ofAll('Reject', 'red', reject, 'Nothing is refunded. Who requested it can read your reason.'),
];

/** Approve and reject what another person asked for; withdraw what is one's own. */
function RequestActions({ request }: { request: ActedRequest }) {
  const { id: requestId, amount, currency, status, isOwn, requestedByEmail } = request;
  const refused = refusalReason(usePerson(), 'admin');
  const isOffered = status === 'pending';
  const seen = { Status: humanize(status) };
  const notOwn = refused ?? (isOwn ? ownRequest : undefined);
  const variables = (reason: string) => ({ requestId, reason });
  const money = moneyText(amount, currency);
  const of = nameOf(request);
  return (
    <Group gap="xs" wrap="nowrap">
      <Action
        name="Approve"
        of={of}
        color="green"
        document={approve}
        seen={seen}
        isOffered={isOffered}
        refused={notOwn}
        consequence={`${money} is refunded to the card immediately, as requested by ${requestedByEmail}.`}
        variables={variables}
      />
      <Action
        name="Reject"
        of={of}
        color="red"
        document={reject}
        seen={seen}
        isOffered={isOffered}
        refused={notOwn}
        consequence={`${money} is not refunded. ${requestedByEmail} can read your reason.`}
        variables={variables}
      />
      <Action
        name="Withdraw"
        keep="Keep request"
        of={of}
        document={withdraw}
        seen={seen}
        isOffered={isOffered && isOwn}
        refused={refused}
        consequence={`${money} is not refunded. You can request it again.`}
        variables={variables}
      />
    </Group>
  );
}
