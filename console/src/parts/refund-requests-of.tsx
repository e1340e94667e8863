import { graphql, type ResultOf } from '../graph/graphql.ts';
import { DataTable } from './data-table.tsx';
import { Section } from './facts.tsx';
import type { Column } from './list-definition.ts';
import { Money } from './money.tsx';
import { RequestActions } from './refund-request-actions.tsx';
import { Status } from './status.tsx';
import { Time } from './time.tsx';

export const RequestRow = graphql(`
  fragment RequestRow on RefundRequest {
    id paymentId amount currency status reason isOwn cancelSubscription
    requestedByEmail decidedByEmail decisionReason expiresAt createdAt
  }
`);

type Request = ResultOf<typeof RequestRow>;

/** What a list of requests shows of each. */
export const requestColumns: readonly Column<Request>[] = [
  { name: 'Amount', cell: (row) => <Money {...row} /> },
  { name: 'Status', cell: ({ status }) => <Status of={status} /> },
  {
    name: 'Asked for by',
    cell: ({ requestedByEmail, isOwn }) => (isOwn ? `${requestedByEmail} (you)` : requestedByEmail),
  },
  {
    name: 'Reason',
    cell: ({ reason, cancelSubscription }) => (cancelSubscription ? `${reason} (cancels the subscription)` : reason),
  },
  { name: 'Asked for', cell: ({ createdAt }) => <Time at={createdAt} /> },
  {
    name: 'Decision',
    cell: ({ status, expiresAt, decidedByEmail, decisionReason }) =>
      status === 'pending' ? (
        <>
          until <Time at={expiresAt} far />
        </>
      ) : (
        [decidedByEmail, decisionReason].filter(Boolean).join(': ')
      ),
  },
  { name: 'Actions', cell: (request) => <RequestActions request={request} /> },
];

/** The refunds of a payment for which a second person was needed. None for people who may not refund. */
export function RefundRequestsOf({ requests }: { requests: readonly Request[] | null }) {
  if (!requests?.length) return null;
  return (
    <Section title="Refunds that need a second person">
      <DataTable
        label="Refunds that need a second person"
        columns={requestColumns}
        rows={requests}
        keyOf={({ id }) => id}
      />
    </Section>
  );
}
