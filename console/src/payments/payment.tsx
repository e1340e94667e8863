import { Block, type BlockTarget } from '../accounts/block-rule-actions.tsx';
import { graphql, type ResultOf } from '../graph/graphql.ts';
import { RefundRequestsOf, RequestRow } from '../refunds/refund-request-rows.tsx';
import { type CardFacts, cardText, shortCardText } from '../ui/card-and-address.tsx';
import { Detail, PathLink, Ready, useDetail, usePathId } from '../ui/detail-page.tsx';
import { Id, Section, WithFacts } from '../ui/facts.tsx';
import { Money } from '../ui/money.tsx';
import { ObjectLink, ProcessorLink } from '../ui/object-link.tsx';
import { metadataOf } from '../ui/payload.tsx';
import { may, usePerson } from '../ui/person.tsx';
import { RowsSection } from '../ui/rows-section.tsx';
import { Words } from '../ui/status.tsx';
import { Time } from '../ui/time.tsx';
import { DeliveriesOf, DeliveryRow, whileSending } from '../webhooks/delivery-rows.tsx';
import { PaymentActions, ResolvePayment } from './payment-actions.tsx';
import { PaymentStatus } from './payment-rows.tsx';
import { Moments, momentsOf, PaymentMoments } from './payment-timeline.tsx';

const document = graphql(
  `
  query Payment($id: ID!, $isAdmin: Boolean!, $isAuditor: Boolean!, $isHub: Boolean!, $isStaff: Boolean!) {
    payment(paymentId: $id) {
      id livemode amount capturedAmount refundedAmount currency status subStatus failureCode failureMessage createdAt
      orderId subscriptionId requireAction metadata
      refundableWithoutApproval @include(if: $isAdmin)
      refundRequests(first: 100) { ...RequestRow }
      deliveries(first: 10) { ...DeliveryRow }
      customer { id email }
      account { id legalName partnerId partner @include(if: $isHub) { name } }
      processor { id name type platformAccountId }
      store { name }
      paymentInstrument { id card { fingerprint brand last4 expMonth expYear funding } }
      ...PaymentMoments
      transactions { status }
      postings { journalEntryId account amount currency createdAt }
      blockedBy @include(if: $isStaff) { blockRuleId name criteria }
    }
  }
`,
  [DeliveryRow, PaymentMoments, RequestRow],
);

type View = NonNullable<ResultOf<typeof document>['payment']>;

/** A payment with everything that belongs to it. */
export function Payment() {
  const person = usePerson();
  const variables = {
    id: usePathId(),
    isAdmin: may(person, 'admin'),
    isAuditor: may(person, 'auditor'),
    isHub: may(person, 'hub'),
    isStaff: may(person, 'platformStaff'),
  };
  const query = useDetail(document, variables, (data) => whileSending(data.payment?.deliveries));
  return (
    <Ready query={query} missing="Payment not found.">
      {({ payment }) => payment && <PaymentView payment={payment} />}
    </Ready>
  );
}

function PaymentView({ payment }: { payment: View }) {
  const { blockedBy, currency } = payment;
  const money = (amount: number) => <Money amount={amount} currency={currency} />;
  const card = payment.paymentInstrument?.card;
  return (
    <Detail
      title={
        <>
          {money(payment.amount)} <PaymentStatus of={payment} />
        </>
      }
      list={{ name: 'Payments', path: '/payments' }}
      audited={payment.id}
      livemode={payment.livemode}
      actions={
        <>
          <PaymentActions payment={payment} refundableWithoutApproval={payment.refundableWithoutApproval ?? null} />
          {payment.account && card && <Block account={payment.account} targets={targetsOf(payment, card)} />}
          <ResolvePayment
            payment={payment}
            isOpen={payment.transactions.some(({ status }) => status === 'processing')}
          />
        </>
      }
    >
      <RefundRequestsOf requests={payment.refundRequests?.toReversed() ?? null} />
      <WithFacts
        title="Payment"
        of={[
          ['ID', <Id key="id">{payment.id}</Id>],
          ['Created', <Time key="at" at={payment.createdAt} far />],
          ['Captured', money(payment.capturedAmount)],
          ['Refunded', money(payment.refundedAmount)],
          ['Failure reason', payment.failureMessage ?? payment.failureCode],
          [
            'Blocked by',
            blockedBy && payment.account && (
              <PathLink path={`/accounts/${payment.account.id}`} search={{ tab: 'rules' }}>
                {blockedBy.name} ({blockedBy.criteria.join(', ')})
              </PathLink>
            ),
          ],
          ['Pending reason', payment.requireAction && <Words of={payment.requireAction} />],
          [
            'Customer',
            payment.customer && (
              <PathLink key="customer" path={`/customers/${payment.customer.id}`}>
                {payment.customer.email}
              </PathLink>
            ),
          ],
          ['Card', card && cardText(card)],
          [
            'Payments with this card',
            card && (
              <PathLink path="/payments" search={{ fingerprint: card.fingerprint }}>
                View payments
              </PathLink>
            ),
          ],
          [
            'Account',
            payment.account && (
              <PathLink path={`/accounts/${payment.account.id}`}>{payment.account.legalName}</PathLink>
            ),
          ],
          ['Partner', <ObjectLink id={payment.account?.partnerId} name={payment.account?.partner?.name} />],
          ['Store', payment.store?.name],
          ['Order', payment.orderId && <ObjectLink id={payment.orderId} />],
          ['Subscription', payment.subscriptionId && <ObjectLink id={payment.subscriptionId} />],
          ['Processor', payment.processor && <ProcessorLink of={payment.processor} />],
          ['Metadata', metadataOf(payment)],
        ]}
      >
        <Section title="Timeline">
          <Moments of={momentsOf(payment)} />
        </Section>
        <Postings postings={payment.postings ?? []} />
        <DeliveriesOf deliveries={payment.deliveries} objectId={payment.id} />
      </WithFacts>
    </Detail>
  );
}

/** What of a payment can be blocked. */
function targetsOf({ id, customer }: View, card: CardFacts): [BlockTarget, ...BlockTarget[]] {
  return [
    { label: `Card ${shortCardText(card)}`, name: 'Card of a payment', criterion: { paymentId: id } },
    ...(customer
      ? [{ label: `Email ${customer.email}`, name: 'Email address of a payment', criterion: { email: customer.email } }]
      : []),
  ];
}

interface Posting {
  journalEntryId: string;
  account: string;
  amount: number;
  currency: string;
  createdAt: string;
}

/** What a payment has posted to the ledger. */
function Postings({ postings }: { postings: readonly Posting[] }) {
  return (
    <RowsSection
      title="Ledger postings"
      rows={postings}
      keyOf={({ journalEntryId, account }) => `${journalEntryId} ${account}`}
      empty="No postings yet."
      columns={[
        { name: 'Account', cell: ({ account }) => <Words of={account} /> },
        { name: 'Amount', right: true, cell: (row) => <Money {...row} /> },
        { name: 'Time', cell: ({ createdAt }) => <Time at={createdAt} /> },
      ]}
    />
  );
}
