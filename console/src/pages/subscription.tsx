import { SimpleGrid } from '@mantine/core';
import { useSearch } from '@tanstack/react-router';
import { ask } from '../graph/ask.ts';
import { graphql, type ResultOf } from '../graph/graphql.ts';
import { cardText } from '../parts/customer-facts.tsx';
import { Detail, PathLink, Ready, usePathId } from '../parts/detail-page.tsx';
import { Facts, Id, Section } from '../parts/facts.tsx';
import { useFound } from '../parts/find-object.ts';
import { every, inWords } from '../parts/format.ts';
import type { Search } from '../parts/list-definition.ts';
import { Money } from '../parts/money.tsx';
import { EventRow, EventsOf, PaymentRow, PaymentsOf, SubscriptionStatus } from '../parts/object-rows.tsx';
import { Empty } from '../parts/states.tsx';
import { SubscriptionActions } from '../parts/subscription-actions.tsx';
import { Time } from '../parts/time.tsx';
import { useMode } from '../shell/mode.ts';
import { may, usePerson } from '../shell/person.tsx';

const SubscriptionView = graphql(
  `
  fragment SubscriptionView on CustomerSubscription {
    id amount currency status interval intervalCount quantity priceId balance createdAt customerId platformAccountId
    currentPeriodStart currentPeriodEnd nextBillingDate trialEndsAt pausedAt resumeAt
    cancelAtPeriodEnd canceledAt cancellationReason testClockId
    pendingUpdate { priceId quantity paymentId expiresAt }
    account { legalName }
    customer { email }
    store { name }
    paymentInstrument { card { brand last4 expMonth expYear funding } }
    payments(first: 20) { ...PaymentRow }
    events(first: 20) @include(if: $isStaff) { ...EventRow }
  }
`,
  [PaymentRow, EventRow],
);
const ofPayments = graphql(
  `
  query SubscriptionOfPayments($isStaff: Boolean!, $mode: Mode!, $id: ID!) {
    list: operatorPayments(mode: $mode, pageSize: 1, filters: { subscriptionId: $id }) {
      items { subscription { ...SubscriptionView } }
    }
  }
`,
  [SubscriptionView],
);
const ofCustomer = graphql(
  `
  query SubscriptionsOfCustomer($isStaff: Boolean!, $mode: Mode!, $customer: ID!) {
    list: operatorSubscriptions(mode: $mode, pageSize: 50, filters: { customerId: $customer }) {
      items { ...SubscriptionView }
    }
  }
`,
  [SubscriptionView],
);

type View = ResultOf<typeof SubscriptionView>;

/** A subscription: what it charges, when next, and what became of its charges. */
export function Subscription() {
  const mode = useMode();
  const isStaff = may(usePerson(), 'platformStaff');
  const id = usePathId();
  const { customer }: Search = useSearch({ strict: false });
  const query = useFound<View>(
    ['subscription', mode, id, customer],
    [
      async (signal) => (await ask(ofPayments, { mode, id, isStaff }, { signal })).list?.items[0]?.subscription,
      customer !== undefined &&
        (async (signal) =>
          (await ask(ofCustomer, { mode, customer, isStaff }, { signal })).list?.items.find((item) => item.id === id)),
    ],
  );
  return (
    <Ready query={query}>
      {(subscription) =>
        subscription ? (
          <SubscriptionPage subscription={subscription} />
        ) : (
          <Empty>No charge of such a subscription was ever tried.</Empty>
        )
      }
    </Ready>
  );
}

function SubscriptionPage({ subscription }: { subscription: View }) {
  const { id, currency, customerId, platformAccountId, balance, pendingUpdate } = subscription;
  const card = subscription.paymentInstrument?.card;
  return (
    <Detail
      title={
        <>
          <Money {...subscription} /> every {every(subscription)} <SubscriptionStatus of={subscription} />
        </>
      }
      list={{ name: 'Subscriptions', path: '/subscriptions' }}
      actions={<SubscriptionActions subscription={subscription} />}
    >
      <Section title="Subscription">
        <Facts
          of={[
            ['Identifier', <Id>{id}</Id>],
            ['Next charge', subscription.nextBillingDate && <Time at={subscription.nextBillingDate} far />],
            [
              'Paid period',
              <>
                <Time at={subscription.currentPeriodStart} /> to <Time at={subscription.currentPeriodEnd} />
              </>,
            ],
            ['Trial ends', subscription.trialEndsAt && <Time at={subscription.trialEndsAt} far />],
            ['Paused', subscription.pausedAt && <Time at={subscription.pausedAt} />],
            ['Resumes', subscription.resumeAt && <Time at={subscription.resumeAt} far />],
            ['Canceled', subscription.canceledAt && <Time at={subscription.canceledAt} />],
            ['Why it ended', subscription.cancellationReason && inWords(subscription.cancellationReason)],
            ['Carried over to the next charge', balance !== 0 && <Money amount={balance} currency={currency} />],
            [
              'Waits for',
              pendingUpdate && (
                <>
                  another interval, until <Time at={pendingUpdate.expiresAt} />
                </>
              ),
            ],
            ['Price', `${subscription.priceId}, ${subscription.quantity} ×`],
            ['Card', card && cardText(card)],
            [
              'Customer',
              <PathLink path={`/customers/${customerId}`}>{subscription.customer?.email ?? customerId}</PathLink>,
            ],
            [
              'Account',
              <PathLink path={`/accounts/${platformAccountId}`}>
                {subscription.account?.legalName ?? platformAccountId}
              </PathLink>,
            ],
            [
              'Lives by',
              subscription.testClockId && (
                <PathLink path={`/test-clocks/${subscription.testClockId}`}>a test clock</PathLink>
              ),
            ],
            ['Store', subscription.store?.name],
            ['Since', <Time at={subscription.createdAt} />],
          ]}
        />
      </Section>
      <SimpleGrid cols={{ base: 1, lg: 2 }}>
        <PaymentsOf payments={subscription.payments} />
        <EventsOf events={subscription.events} objectId={id} />
      </SimpleGrid>
    </Detail>
  );
}
