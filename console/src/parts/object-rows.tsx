import { graphql, type ResultOf } from '../graph/graphql.ts';
import { PathLink } from './detail-page.tsx';
import { every, inWords } from './format.ts';
import type { Search } from './list-definition.ts';
import { Money } from './money.tsx';
import { RowsSection } from './rows-section.tsx';
import { Status } from './status.tsx';
import { Time } from './time.tsx';

export const PaymentRow = graphql(`
  fragment PaymentRow on Payment { id amount currency status subStatus failureCode createdAt }
`);
export const OrderRow = graphql(`
  fragment OrderRow on Order { id amount currency status createdAt }
`);
export const SubscriptionRow = graphql(`
  fragment SubscriptionRow on CustomerSubscription {
    id amount currency status interval intervalCount nextBillingDate cancelAtPeriodEnd
  }
`);
export const EventRow = graphql(`
  fragment EventRow on Event { id type sequence createdAt }
`);

type Payment = ResultOf<typeof PaymentRow>;
type Order = ResultOf<typeof OrderRow>;
type Subscription = ResultOf<typeof SubscriptionRow>;
type Event = ResultOf<typeof EventRow>;

/** Leads to the list of which a section shows the latest rows. */
export function AllRows({ path, filters }: { path: string; filters: Search }) {
  return (
    <PathLink path={path} search={filters}>
      all
    </PathLink>
  );
}

export function PaymentStatus({ of: { status, subStatus } }: { of: Pick<Payment, 'status' | 'subStatus'> }) {
  return <Status of={status} detail={status === 'pending' ? subStatus : null} />;
}

export function SubscriptionStatus({
  of: { status, cancelAtPeriodEnd },
}: {
  of: Pick<Subscription, 'status' | 'cancelAtPeriodEnd'>;
}) {
  return <Status of={status} detail={cancelAtPeriodEnd && status !== 'canceled' ? 'ends' : null} />;
}

export function PaymentsOf({ payments, all }: { payments: readonly Payment[] | null; all?: Search }) {
  return (
    <RowsSection
      title="Latest payments"
      rows={payments}
      aside={all && <AllRows path="/payments" filters={all} />}
      keyOf={({ id }) => id}
      pathOf={({ id }) => `/payments/${id}`}
      empty="There is no payment yet."
      columns={[
        { name: 'Amount', cell: (row) => <Money {...row} /> },
        { name: 'Status', cell: (row) => <PaymentStatus of={row} /> },
        { name: 'Reason', cell: ({ failureCode }) => failureCode && inWords(failureCode) },
        { name: 'Created', cell: ({ createdAt }) => <Time at={createdAt} /> },
      ]}
    />
  );
}

export function OrdersOf({ orders, all }: { orders: readonly Order[] | null; all?: Search }) {
  return (
    <RowsSection
      title="Latest orders"
      rows={orders}
      aside={all && <AllRows path="/orders" filters={all} />}
      keyOf={({ id }) => id}
      pathOf={({ id }) => `/orders/${id}`}
      empty="There is no order yet."
      columns={[
        { name: 'Amount', cell: (row) => <Money {...row} /> },
        { name: 'Status', cell: ({ status }) => <Status of={status} /> },
        { name: 'Created', cell: ({ createdAt }) => <Time at={createdAt} /> },
      ]}
    />
  );
}

export function SubscriptionsOf({
  subscriptions,
  all,
}: {
  subscriptions: readonly Subscription[] | null;
  all?: Search;
}) {
  return (
    <RowsSection
      title="Subscriptions"
      rows={subscriptions}
      aside={all && <AllRows path="/subscriptions" filters={all} />}
      keyOf={({ id }) => id}
      pathOf={({ id }) => `/subscriptions/${id}`}
      empty="There is no subscription."
      columns={[
        { name: 'Amount', cell: (row) => <Money {...row} /> },
        { name: 'Every', cell: (row) => every(row) },
        { name: 'Status', cell: (row) => <SubscriptionStatus of={row} /> },
        { name: 'Next charge', cell: ({ nextBillingDate }) => <Time at={nextBillingDate} /> },
      ]}
    />
  );
}

/** The events of an object. People of partners may not read them. */
export function EventsOf({ events }: { events: readonly Event[] | null | undefined }) {
  if (!events) return null;
  return (
    <RowsSection
      title="Events"
      rows={events}
      keyOf={({ id }) => id}
      pathOf={({ id }) => `/events/${id}`}
      empty="There is no event."
      columns={[
        { name: 'Type', cell: ({ type }) => type },
        { name: 'Number', right: true, cell: ({ sequence }) => sequence },
        { name: 'At', cell: ({ createdAt }) => <Time at={createdAt} /> },
      ]}
    />
  );
}
