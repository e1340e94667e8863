import { Block } from '../accounts/block-rule-actions.tsx';
import { graphql, type ResultOf } from '../graph/graphql.ts';
import { OrderRow, OrdersOf } from '../orders/order-rows.tsx';
import { PaymentRow, PaymentsOf } from '../payments/payment-rows.tsx';
import { SubscriptionRow, SubscriptionsOf } from '../subscriptions/subscription-rows.tsx';
import { Address, type CardFacts, cardText } from '../ui/card-and-address.tsx';
import { Detail, PathLink, Ready, useDetail, usePathId } from '../ui/detail-page.tsx';
import { Id, WithFacts } from '../ui/facts.tsx';
import { metadataOf } from '../ui/payload.tsx';
import { RowsSection } from '../ui/rows-section.tsx';
import { Time } from '../ui/time.tsx';
import { EventRow, EventsOf } from '../webhooks/event-rows.tsx';

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
    events(first: 10) { ...EventRow }
  }
`,
  [PaymentRow, OrderRow, SubscriptionRow, EventRow],
);
const document = graphql(
  `
  query Customer($id: ID!) {
    customer(customerId: $id) { ...CustomerView }
  }
`,
  [CustomerView],
);
type View = ResultOf<typeof CustomerView>;

/** A customer of a merchant with what they pay. */
export function Customer() {
  const query = useDetail(document, { id: usePathId() });
  return (
    <Ready query={query} missing="Customer not found.">
      {({ customer }) => customer && <CustomerPage customer={customer} />}
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
      actions={
        account && (
          <Block
            account={{ ...account, id: platformAccountId }}
            targets={[
              {
                label: `Email ${customer.email}`,
                name: 'Email address of a customer',
                criterion: { email: customer.email },
              },
              { label: 'This customer', name: 'Customer', criterion: { customerId: id } },
            ]}
          />
        )
      }
    >
      <WithFacts
        title="Customer"
        of={[
          ['ID', <Id>{id}</Id>],
          ['Email', customer.email],
          ['Phone', customer.phone],
          ['Created', <Time at={customer.createdAt} />],
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
      >
        <PaymentsOf payments={customer.payments} all={{ customerId: id }} />
        <OrdersOf orders={customer.orders} all={{ customerId: id }} />
        <SubscriptionsOf subscriptions={customer.subscriptions} all={{ customerId: id }} />
        <CardsOf instruments={customer.paymentInstruments} />
        <EventsOf events={customer.events} />
      </WithFacts>
    </Detail>
  );
}

interface Instrument {
  id: string;
  isActive: boolean;
  isDefault: boolean;
  createdAt: string;
  card: CardFacts & { fingerprint: string };
}

/** The cards of a customer, each of which leads to all payments of its card. */
function CardsOf({ instruments }: { instruments: readonly Instrument[] | null }) {
  return (
    <RowsSection
      title="Cards"
      rows={instruments}
      keyOf={({ id }) => id}
      pathOf={({ card }) => `/payments?fingerprint=${encodeURIComponent(card.fingerprint)}`}
      empty="No cards yet."
      columns={[
        { name: 'Card', cell: ({ card }) => cardText(card) },
        {
          name: 'Status',
          cell: ({ isActive, isDefault }) => (isActive ? (isDefault ? 'default' : 'active') : 'deleted'),
        },
        { name: 'Added', cell: ({ createdAt }) => <Time at={createdAt} /> },
      ]}
    />
  );
}
