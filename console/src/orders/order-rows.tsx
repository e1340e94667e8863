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

export const OrderItem = graphql(`
  fragment OrderItem on OrderItem { id name quantity unitAmount }
`);

interface ItemsOfProps {
  items: readonly ResultOf<typeof OrderItem>[] | undefined;
  currency: string;
  empty: string;
}

/** The items of an order. */
export function ItemsOf({ items, currency, empty }: ItemsOfProps) {
  return (
    <RowsSection
      title="Items"
      rows={items}
      keyOf={({ id }) => id}
      empty={empty}
      columns={[
        { name: 'Name', cell: ({ name }) => name },
        { name: 'Quantity', right: true, cell: ({ quantity }) => quantity },
        {
          name: 'Unit price',
          right: true,
          cell: ({ unitAmount }) => <Money amount={unitAmount} currency={currency} />,
        },
        {
          name: 'Total',
          right: true,
          cell: ({ unitAmount, quantity }) => <Money amount={unitAmount * quantity} currency={currency} />,
        },
      ]}
    />
  );
}
