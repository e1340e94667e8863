import { SimpleGrid } from '@mantine/core';
import { useSearch } from '@tanstack/react-router';
import { ask } from '../graph/ask.ts';
import { graphql, type ResultOf } from '../graph/graphql.ts';
import { Detail, PathLink, Ready, usePathId } from '../parts/detail-page.tsx';
import { Facts, Id, Section } from '../parts/facts.tsx';
import { useFound } from '../parts/find-object.ts';
import type { Search } from '../parts/list-definition.ts';
import { Money } from '../parts/money.tsx';
import { EventRow, EventsOf, PaymentRow, PaymentsOf } from '../parts/object-rows.tsx';
import { RowsSection } from '../parts/rows-section.tsx';
import { Empty } from '../parts/states.tsx';
import { Status } from '../parts/status.tsx';
import { Time } from '../parts/time.tsx';
import { useMode } from '../shell/mode.ts';
import { may, usePerson } from '../shell/person.tsx';

const OrderView = graphql(
  `
  fragment OrderView on Order {
    id amount currency status createdAt updatedAt customerId paymentId platformAccountId
    account { legalName }
    customer { email }
    store { name }
    items { id name quantity unitAmount }
    payments(first: 10) { ...PaymentRow }
    events(first: 10) @include(if: $isStaff) { ...EventRow }
  }
`,
  [PaymentRow, EventRow],
);
const ofPayments = graphql(
  `
  query OrderOfPayments($isStaff: Boolean!, $mode: Mode!, $id: ID!) {
    list: operatorPayments(mode: $mode, pageSize: 1, filters: { orderId: $id }) { items { order { ...OrderView } } }
  }
`,
  [OrderView],
);
const ofAccount = graphql(
  `
  query OrdersOfAccount($isStaff: Boolean!, $account: ID!) {
    operatorKyb(accountId: $account) { account { orders(first: 100) { ...OrderView } } }
  }
`,
  [OrderView],
);

type View = ResultOf<typeof OrderView>;

/** An order with its items and its payments. One that nobody tried to pay is found among the latest of its account. */
export function Order() {
  const mode = useMode();
  const isStaff = may(usePerson(), 'platformStaff');
  const id = usePathId();
  const { account }: Search = useSearch({ strict: false });
  const query = useFound<View>(
    ['order', mode, id, account],
    [
      async (signal) => (await ask(ofPayments, { mode, id, isStaff }, { signal })).list?.items[0]?.order,
      account !== undefined &&
        (async (signal) =>
          (await ask(ofAccount, { account, isStaff }, { signal })).operatorKyb?.account.orders?.find(
            (order) => order.id === id,
          )),
    ],
  );
  return (
    <Ready query={query}>
      {(order) => (order ? <OrderPage order={order} /> : <Empty>No payment of such an order was ever tried.</Empty>)}
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
      list={{ name: 'Payments', path: '/payments' }}
    >
      <Section title="Order">
        <Facts
          of={[
            ['Identifier', <Id>{id}</Id>],
            ['Created', <Time at={order.createdAt} far />],
            [
              'Customer',
              customerId && (
                <PathLink path={`/customers/${customerId}`}>{order.customer?.email ?? customerId}</PathLink>
              ),
            ],
            [
              'Account',
              <PathLink path={`/accounts/${platformAccountId}`}>
                {order.account?.legalName ?? platformAccountId}
              </PathLink>,
            ],
            ['Store', order.store?.name],
          ]}
        />
      </Section>
      <SimpleGrid cols={{ base: 1, lg: 2 }}>
        <RowsSection
          title="Items"
          rows={order.items}
          keyOf={(item) => item.id}
          empty="The order has no items."
          columns={[
            { name: 'Name', cell: ({ name }) => name },
            { name: 'Quantity', right: true, cell: ({ quantity }) => quantity },
            { name: 'Each', right: true, cell: ({ unitAmount }) => <Money amount={unitAmount} currency={currency} /> },
            {
              name: 'Together',
              right: true,
              cell: ({ unitAmount, quantity }) => <Money amount={unitAmount * quantity} currency={currency} />,
            },
          ]}
        />
        <PaymentsOf payments={order.payments} />
        <EventsOf events={order.events} objectId={id} />
      </SimpleGrid>
    </Detail>
  );
}
