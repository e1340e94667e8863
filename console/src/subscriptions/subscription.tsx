import { graphql, type ResultOf } from '../graph/graphql.ts';
import { PaymentRow, PaymentsOf } from '../payments/payment-rows.tsx';
import { cardText } from '../ui/card-and-address.tsx';
import { Detail, PathLink, Ready, useDetail, usePathId } from '../ui/detail-page.tsx';
import { Id, WithFacts } from '../ui/facts.tsx';
import { every, humanize } from '../ui/format.ts';
import { Money } from '../ui/money.tsx';
import { ObjectLink } from '../ui/object-link.tsx';
import { metadataOf } from '../ui/payload.tsx';
import { Words } from '../ui/status.tsx';
import { Time } from '../ui/time.tsx';
import { EventRow, EventsOf } from '../webhooks/event-rows.tsx';
import { PauseOrResume, SubscriptionActions } from './subscription-actions.tsx';
import { SubscriptionStatus } from './subscription-rows.tsx';

const SubscriptionView = graphql(
  `
  fragment SubscriptionView on CustomerSubscription {
    id livemode amount currency status interval intervalCount quantity priceId balance createdAt customerId platformAccountId
    currentPeriodStart currentPeriodEnd currentPeriodPaid nextBillingDate trialEndsAt pausedAt resumeAt
    cancelAtPeriodEnd canceledAt cancellationReason metadata
    pendingUpdate { priceId quantity paymentId expiresAt }
    actionRequired { reason expiresAt }
    account { legalName }
    customer { email }
    store { name }
    testClock { id name }
    price { product { name } }
    paymentInstrument { card { brand last4 expMonth expYear funding } }
    payments(first: 20) { ...PaymentRow }
    events(first: 20) { ...EventRow }
  }
`,
  [PaymentRow, EventRow],
);
const document = graphql(
  `
  query Subscription($id: ID!) {
    subscription(subscriptionId: $id) {
      ...SubscriptionView
      upcomingCharge { dueAt amount currency isRetry deferredReason }
    }
  }
`,
  [SubscriptionView],
);

type View = ResultOf<typeof SubscriptionView>;
type Upcoming = NonNullable<ResultOf<typeof document>['subscription']>['upcomingCharge'];

/** A subscription: what it charges, when next, and what became of its charges. */
export function Subscription() {
  const query = useDetail(document, { id: usePathId() });
  return (
    <Ready query={query} missing="Subscription not found.">
      {({ subscription }) =>
        subscription && <SubscriptionPage subscription={subscription} upcoming={subscription.upcomingCharge} />
      }
    </Ready>
  );
}

function NextCharge({ of: { dueAt, amount, currency, isRetry } }: { of: NonNullable<Upcoming> }) {
  return (
    <>
      <Money amount={amount} currency={currency} /> {isRetry && 'again'} <Time at={dueAt} far />
    </>
  );
}

/** Why no charge is scheduled. */
function whyNone({ status, cancelAtPeriodEnd }: View): string {
  if (status === 'incomplete') return 'None: the first charge was declined or requires action by the customer';
  return status !== 'canceled' && cancelAtPeriodEnd
    ? 'None: the subscription ends with its period'
    : `None: the subscription is ${humanize(status)}`;
}

const actionWords = {
  authentication: 'Confirm the payment with the bank',
  card_expired: 'Replace the expired card',
} as const;

/** The reason of the latest payment. */
function whyFailed({ payments }: View) {
  const code = payments?.[0]?.failureCode;
  return code != null && <Words of={code} />;
}

function SubscriptionPage({ subscription, upcoming }: { subscription: View; upcoming: Upcoming }) {
  const { id, status, currency, customerId, platformAccountId, balance, pendingUpdate, actionRequired } = subscription;
  const card = subscription.paymentInstrument?.card;
  const isUnpaid = status === 'past_due' || status === 'incomplete';
  return (
    <Detail
      title={
        <>
          <Money {...subscription} /> every {every(subscription)} <SubscriptionStatus of={subscription} />
        </>
      }
      list={{ name: 'Subscriptions', path: '/subscriptions' }}
      audited={id}
      livemode={subscription.livemode}
      actions={
        <>
          <PauseOrResume subscription={subscription} />
          <SubscriptionActions subscription={subscription} />
        </>
      }
    >
      <WithFacts
        title="Subscription"
        of={[
          ['ID', <Id>{id}</Id>],
          ['Next charge', upcoming ? <NextCharge of={upcoming} /> : whyNone(subscription)],
          ['Deferral reason', upcoming?.deferredReason && <Words of={upcoming.deferredReason} />],
          [
            'Deferred charges',
            upcoming?.deferredReason && (
              <PathLink path="/deferred-charges" search={{ subscriptionId: id }}>
                View charges
              </PathLink>
            ),
          ],
          ['Last failure reason', isUnpaid && whyFailed(subscription)],
          [
            'Required action',
            actionRequired && (
              <>
                {actionWords[actionRequired.reason]}, until <Time at={actionRequired.expiresAt} far />
              </>
            ),
          ],
          [
            subscription.currentPeriodPaid ? 'Paid period' : isUnpaid ? 'Unpaid period' : 'Period, not charged',
            <>
              <Time at={subscription.currentPeriodStart} /> to <Time at={subscription.currentPeriodEnd} />
            </>,
          ],
          ['Trial ends', subscription.trialEndsAt && <Time at={subscription.trialEndsAt} far />],
          ['Paused', subscription.pausedAt && <Time at={subscription.pausedAt} />],
          ['Resumes', subscription.resumeAt && <Time at={subscription.resumeAt} far />],
          ['Canceled', subscription.canceledAt && <Time at={subscription.canceledAt} />],
          ['Cancellation reason', subscription.cancellationReason && <Words of={subscription.cancellationReason} />],
          ['Balance', balance !== 0 && <Money amount={balance} currency={currency} />],
          [
            'Pending update',
            pendingUpdate && (
              <>
                New billing interval, until <Time at={pendingUpdate.expiresAt} />
              </>
            ),
          ],
          ['Product', subscription.price?.product?.name],
          ['Quantity', subscription.quantity],
          ['Price', <Id>{subscription.priceId}</Id>],
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
            'Test clock',
            subscription.testClock && <ObjectLink id={subscription.testClock.id} name={subscription.testClock.name} />,
          ],
          ['Store', subscription.store?.name],
          ['Created', <Time at={subscription.createdAt} />],
          ['Metadata', metadataOf(subscription)],
        ]}
      >
        <PaymentsOf payments={subscription.payments} all={{ subscriptionId: id }} />
        <EventsOf events={subscription.events} />
      </WithFacts>
    </Detail>
  );
}
