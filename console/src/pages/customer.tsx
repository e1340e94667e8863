import { SimpleGrid } from '@mantine/core';
import { graphql, type ResultOf } from '../graph/graphql.ts';
import { Address, CardsOf } from '../parts/customer-facts.tsx';
import { Detail, PathLink, Ready, useDetail, usePathId } from '../parts/detail-page.tsx';
import { Facts, Id, Section } from '../parts/facts.tsx';
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
import { metadataOf } from '../parts/payload.tsx';
import { Time } from '../parts/time.tsx';
import { may, usePerson } from '../shell/person.tsx';

const CustomerView = graphql(
  `
  fragment CustomerView on Customer {
    id livemode email firstName lastName phone tags metadata storeName createdAt platformAccountId
    billingAddress { firstName lastName line1 line2 city state postalCode country }
    shippingAddress { firstName lastName line1 line2 city state postalCode country }
    account { legalName }
    paymentInstruments(first: 10) { id isActive isDefault createdAt card { fingerprint brand last4 expMonth expYear funding } }
    payments(first: 10) { ...PaymentRow }
    orders(first: 10) { ...OrderRow }
    subscriptions(first: 10) { ...SubscriptionRow }
    events(first: 10) @include(if: $isStaff) { ...EventRow }
  }
`,
  [PaymentRow, OrderRow, SubscriptionRow, EventRow],
);
const document = graphql(
  `
  query Customer($isStaff: Boolean!, $id: ID!) {
    operatorCustomer(customerId: $id) { ...CustomerView }
  }
`,
  [CustomerView],
);
type View = ResultOf<typeof CustomerView>;

/** A customer of a merchant with what they pay. */
export function Customer() {
  const query = useDetail(document, { id: usePathId(), isStaff: may(usePerson(), 'platformStaff') });
  return (
    <Ready query={query} missing="There is no such customer.">
      {({ operatorCustomer }) => operatorCustomer && <CustomerPage customer={operatorCustomer} />}
    </Ready>
  );
}

function CustomerPage({ customer }: { customer: View }) {
  const { id, account, platformAccountId } = customer;
  const name = [customer.firstName, customer.lastName].filter(Boolean).join(' ');
  return (
    <Detail
      title={name === '' ? customer.email : name}
      livemode={customer.livemode}
      list={{ name: 'Customers', path: '/customers' }}
    >
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
            ['Metadata', metadataOf(customer)],
          ]}
        />
      </Section>
      <SimpleGrid cols={{ base: 1, lg: 2 }}>
        <PaymentsOf payments={customer.payments} all={{ customerId: id }} />
        <OrdersOf orders={customer.orders} all={{ customerId: id }} />
        <SubscriptionsOf subscriptions={customer.subscriptions} all={{ customerId: id }} />
        <CardsOf instruments={customer.paymentInstruments} />
        <EventsOf events={customer.events} />
      </SimpleGrid>
    </Detail>
  );
}
