import { SimpleGrid } from '@mantine/core';
import { ask } from '../graph/ask.ts';
import { graphql, type ResultOf } from '../graph/graphql.ts';
import { Address, CardsOf } from '../parts/customer-facts.tsx';
import { Detail, PathLink, Ready, usePathId } from '../parts/detail-page.tsx';
import { Facts, Id, Section } from '../parts/facts.tsx';
import { useFound } from '../parts/find-object.ts';
import {
  EventRow,
  EventsOf,
  OrderRow,
  OrdersOf,
  PaymentRow,
  PaymentsOf,
  SubscriptionRow,
  SubscriptionsOf,
} from '../parts/object-rows.tsx';
import { Payload } from '../parts/payload.tsx';
import { Empty } from '../parts/states.tsx';
import { Time } from '../parts/time.tsx';
import { useMode } from '../shell/mode.ts';
import { may, usePerson } from '../shell/person.tsx';

const CustomerView = graphql(
  `
  fragment CustomerView on Customer {
    id email firstName lastName phone tags metadata storeName createdAt platformAccountId
    billingAddress { firstName lastName line1 line2 city state postalCode country }
    shippingAddress { firstName lastName line1 line2 city state postalCode country }
    account { legalName }
    paymentInstruments(first: 10) { id isActive isDefault createdAt card { brand last4 expMonth expYear funding } }
    payments(first: 10) { ...PaymentRow }
    orders(first: 10) { ...OrderRow }
    subscriptions(first: 10) { ...SubscriptionRow }
    events(first: 10) @include(if: $isStaff) { ...EventRow }
  }
`,
  [PaymentRow, OrderRow, SubscriptionRow, EventRow],
);
const ofPayments = graphql(
  `
  query CustomerOfPayments($isStaff: Boolean!, $mode: Mode!, $id: ID!) {
    list: operatorPayments(mode: $mode, pageSize: 1, filters: { customerId: $id }) {
      items { customer { ...CustomerView } }
    }
  }
`,
  [CustomerView],
);
const ofSubscriptions = graphql(
  `
  query CustomerOfSubscriptions($isStaff: Boolean!, $mode: Mode!, $id: ID!) {
    list: operatorSubscriptions(mode: $mode, pageSize: 1, filters: { customerId: $id }) {
      items { customer { ...CustomerView } }
    }
  }
`,
  [CustomerView],
);
type View = ResultOf<typeof CustomerView>;

/** A customer of a merchant with what they pay. Found by what was charged: no root field returns one by its identifier. */
export function Customer() {
  const mode = useMode();
  const isStaff = may(usePerson(), 'platformStaff');
  const id = usePathId();
  const query = useFound(
    ['customer', mode, id],
    [
      async (signal) => (await ask(ofPayments, { mode, id, isStaff }, { signal })).list?.items[0]?.customer,
      async (signal) => (await ask(ofSubscriptions, { mode, id, isStaff }, { signal })).list?.items[0]?.customer,
    ],
  );
  return (
    <Ready query={query}>
      {(customer) =>
        customer ? (
          <CustomerPage customer={customer} />
        ) : (
          <Empty>Nobody with this identifier ever paid in this mode.</Empty>
        )
      }
    </Ready>
  );
}

function CustomerPage({ customer }: { customer: View }) {
  const { id, account, platformAccountId } = customer;
  const name = [customer.firstName, customer.lastName].filter(Boolean).join(' ');
  return (
    <Detail title={name === '' ? customer.email : name} list={{ name: 'Payments', path: '/payments' }}>
      <Section title="Customer">
        <Facts
          of={[
            ['Identifier', <Id>{id}</Id>],
            ['E-mail', customer.email],
            ['Phone', customer.phone],
            ['Since', <Time at={customer.createdAt} />],
            [
              'Account',
              <PathLink path={`/accounts/${platformAccountId}`}>{account?.legalName ?? platformAccountId}</PathLink>,
            ],
            ['Store', customer.storeName],
            ['Billing address', customer.billingAddress && <Address of={customer.billingAddress} />],
            ['Shipping address', customer.shippingAddress && <Address of={customer.shippingAddress} />],
            ['Tags', customer.tags.join(', ')],
            [
              'Metadata',
              Object.keys(customer.metadata).length > 0 && <Payload title="Metadata" value={customer.metadata} />,
            ],
            [
              'Payments',
              <PathLink path="/payments" search={{ customerId: id }}>
                show all
              </PathLink>,
            ],
          ]}
        />
      </Section>
      <SimpleGrid cols={{ base: 1, lg: 2 }}>
        <PaymentsOf payments={customer.payments} />
        <OrdersOf orders={customer.orders} accountId={platformAccountId} />
        <SubscriptionsOf subscriptions={customer.subscriptions} />
        <CardsOf instruments={customer.paymentInstruments} />
        <EventsOf events={customer.events} objectId={id} />
      </SimpleGrid>
    </Detail>
  );
}
