import { graphql, type ResultOf } from '../graph/graphql.ts';
import { PaymentRow, PaymentsOf } from '../payments/payment-rows.tsx';
import { Detail, PathLink, Ready, useDetail, usePathId } from '../ui/detail-page.tsx';
import { Id, WithFacts } from '../ui/facts.tsx';
import { Money } from '../ui/money.tsx';
import { Status } from '../ui/status.tsx';
import { Time } from '../ui/time.tsx';
import { EventRow, EventsOf } from '../webhooks/event-rows.tsx';
import { ItemsOf, OrderItem } from './order-rows.tsx';

const OrderView = graphql(
  `
  fragment OrderView on Order {
    id livemode amount currency status createdAt updatedAt customerId paymentId platformAccountId
    account { legalName }
    customer { email }
    store { name }
    items { ...OrderItem }
    payments(first: 10) { ...PaymentRow }
    events(first: 10) { ...EventRow }
  }
`,
  [OrderItem, PaymentRow, EventRow],
);
const document = graphql(
  `
  query Order($id: ID!) {
    order(orderId: $id) { ...OrderView }
  }
`,
  [OrderView],
);

type View = ResultOf<typeof OrderView>;

/** An order with its items and its payments. */
export function Order() {
  const query = useDetail(document, { id: usePathId() });
  return (
    <Ready query={query} missing="Order not found.">
      {({ order }) => order && <OrderPage order={order} />}
    </Ready>
  );
}

function OrderPage({ order }: { order: View }) {
  const { id, currency, customerId, platformAccountId } = order;
  return (
    <Detail
      title={
        <>
          Order of <Money {...order} /> <Status of={order.status} />
        </>
      }
      list={{ name: 'Orders', path: '/orders' }}
      livemode={order.livemode}
    >
      <WithFacts
        title="Order"
        of={[
          ['ID', <Id>{id}</Id>],
          ['Created', <Time at={order.createdAt} far />],
          [
            'Customer',
            customerId && <PathLink path={`/customers/${customerId}`}>{order.customer?.email ?? customerId}</PathLink>,
          ],
          [
            'Account',
            <PathLink path={`/accounts/${platformAccountId}`}>
              {order.account?.legalName ?? platformAccountId}
            </PathLink>,
          ],
          ['Store', order.store?.name],
        ]}
      >
        <ItemsOf items={order.items} currency={currency} empty="The order has no items." />
        <PaymentsOf payments={order.payments} all={{ orderId: id }} />
        <EventsOf events={order.events} />
      </WithFacts>
    </Detail>
  );
}
