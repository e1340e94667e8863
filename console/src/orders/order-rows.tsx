import { graphql, type ResultOf } from '../graph/graphql.ts';
import type { Search } from '../ui/list-definition.ts';
import { Money } from '../ui/money.tsx';
import { AllRows, RowsSection } from '../ui/rows-section.tsx';
import { Status } from '../ui/status.tsx';
import { Time } from '../ui/time.tsx';

export const OrderRow = graphql(`
  fragment OrderRow on Order { id amount currency status createdAt }
`);

type Order = ResultOf<typeof OrderRow>;

export function OrdersOf({ orders, all }: { orders: readonly Order[] | null; all?: Search }) {
  return (
    <RowsSection
      title="Latest orders"
      rows={orders}
      aside={all && <AllRows path="/orders" filters={all} />}
      keyOf={({ id }) => id}
      pathOf={({ id }) => `/orders/${id}`}
      empty="No orders yet."
      columns={[
        { name: 'Amount', right: true, cell: (row) => <Money {...row} /> },
        { name: 'Status', cell: ({ status }) => <Status of={status} /> },
        { name: 'Created', cell: ({ createdAt }) => <Time at={createdAt} /> },
      ]}
    />
  );
}
