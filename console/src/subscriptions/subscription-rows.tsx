import { graphql, type ResultOf } from '../graph/graphql.ts';
import { every } from '../ui/format.ts';
import type { Search } from '../ui/list-definition.ts';
import { Money } from '../ui/money.tsx';
import { AllRows, RowsSection } from '../ui/rows-section.tsx';
import { Status } from '../ui/status.tsx';
import { Time } from '../ui/time.tsx';

export const SubscriptionRow = graphql(`
  fragment SubscriptionRow on CustomerSubscription {
    id amount currency status interval intervalCount nextBillingDate cancelAtPeriodEnd currentPeriodPaid
    price { product { name } }
  }
`);

type Subscription = ResultOf<typeof SubscriptionRow>;

export function SubscriptionStatus({
  of: { status, cancelAtPeriodEnd },
}: {
  of: Pick<Subscription, 'status' | 'cancelAtPeriodEnd'>;
}) {
  return <Status of={status} detail={cancelAtPeriodEnd && status !== 'canceled' ? 'ends' : null} />;
}

/** What is charged and how often, for example `$10.00 / month`. */
export function RecurringAmount({
  of,
}: {
  of: Pick<Subscription, 'amount' | 'currency' | 'interval' | 'intervalCount'>;
}) {
  return (
    <>
      <Money {...of} /> / {every(of)}
    </>
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
      empty="No subscriptions yet."
      columns={[
        { name: 'Product', cell: ({ price }) => price?.product?.name },
        { name: 'Amount', right: true, cell: (row) => <RecurringAmount of={row} /> },
        { name: 'Status', cell: (row) => <SubscriptionStatus of={row} /> },
        { name: 'Period', spare: true, cell: ({ currentPeriodPaid }) => (currentPeriodPaid ? 'paid' : 'not paid') },
        { name: 'Next charge', cell: ({ nextBillingDate }) => <Time at={nextBillingDate} /> },
      ]}
    />
  );
}
