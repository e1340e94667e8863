import { SimpleGrid } from '@mantine/core';
import type { ResultOf } from '../graph/graphql.ts';
import { graphql } from '../graph/graphql.ts';
import { cardText } from '../parts/customer-facts.tsx';
import { DeliveriesOf, DeliveryRow, whileSending } from '../parts/deliveries-of.tsx';
import { Detail, PathLink, Ready, useDetail, usePathId } from '../parts/detail-page.tsx';
import { Facts, Id, Section } from '../parts/facts.tsx';
import { inWords } from '../parts/format.ts';
import { Money } from '../parts/money.tsx';
import { ObjectLink } from '../parts/object-link.tsx';
import { PaymentStatus } from '../parts/object-rows.tsx';
import { metadataOf } from '../parts/payload.tsx';
import { PaymentActions } from '../parts/payment-actions.tsx';
import { momentsOf, PaymentMoments } from '../parts/payment-moments.tsx';
import { Postings } from '../parts/postings.tsx';
import { RefundRequestsOf, RequestRow } from '../parts/refund-requests-of.tsx';
import { ResolvePayment } from '../parts/resolve-payment.tsx';
import { Time } from '../parts/time.tsx';
import { Moments } from '../parts/timeline.tsx';
import { may, usePerson } from '../shell/person.tsx';

const document = graphql(
  `
  query Payment($id: ID!, $isHub: Boolean!, $isStaff: Boolean!) {
    operatorPayment(paymentId: $id) {
      partnerId
      refundableAlone
      refundRequests { ...RequestRow }
      payment {
        id livemode amount capturedAmount refundedAmount currency status subStatus failureCode failureMessage createdAt
        orderId subscriptionId processorId requireAction metadata
        deliveries(first: 10) @include(if: $isStaff) { ...DeliveryRow }
        customer { id email }
        account { id legalName partner @include(if: $isHub) { name } }
        store { name }
        paymentInstrument { id card { fingerprint brand last4 expMonth expYear funding } }
      }
      ...PaymentMoments
      transactions { status }
      postings { journalEntryId account amount currency createdAt }
      blockedBy { blockRuleId name criteria }
    }
  }
`,
  [DeliveryRow, PaymentMoments, RequestRow],
);

type View = NonNullable<ResultOf<typeof document>['operatorPayment']>;

/** A payment with everything that belongs to it. */
export function Payment() {
  const person = usePerson();
  const variables = { id: usePathId(), isHub: may(person, 'hub'), isStaff: may(person, 'platformStaff') };
  const query = useDetail(document, variables, (data) => whileSending(data.operatorPayment?.payment.deliveries));
  return (
    <Ready query={query} missing="There is no such payment.">
      {({ operatorPayment: view }) => view && <PaymentView view={view} />}
    </Ready>
  );
}

function PaymentView({ view }: { view: View }) {
  const { payment, blockedBy } = view;
  const { currency } = payment;
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
          <PaymentActions payment={payment} refundableAlone={view.refundableAlone} />
          <ResolvePayment
            paymentId={payment.id}
            isOpen={view.transactions.some(({ status }) => status === 'processing')}
          />
        </>
      }
    >
      <Section title="Payment">
        <Facts
          of={[
            ['Identifier', <Id key="id">{payment.id}</Id>],
            ['Created', <Time key="at" at={payment.createdAt} far />],
            ['Captured', money(payment.capturedAmount)],
            ['Refunded', money(payment.refundedAmount)],
            ['Why it did not succeed', payment.failureMessage ?? payment.failureCode],
            ['Blocked by', blockedBy && `${blockedBy.name} (${blockedBy.criteria.join(', ')})`],
            ['Waits for', payment.requireAction && inWords(payment.requireAction)],
            [
              'Customer',
              <PathLink key="customer" path={`/customers/${payment.customer.id}`}>
                {payment.customer.email}
              </PathLink>,
            ],
            ['Card', card && cardText(card)],
            [
              'Of the same card',
              card && (
                <PathLink path="/payments" search={{ fingerprint: card.fingerprint }}>
                  show payments
                </PathLink>
              ),
            ],
            [
              'Account',
              payment.account && (
                <PathLink path={`/accounts/${payment.account.id}`}>{payment.account.legalName}</PathLink>
              ),
            ],
            ['Partner', payment.account?.partner?.name ?? view.partnerId],
            ['Store', payment.store?.name],
            ['Order', payment.orderId && <ObjectLink id={payment.orderId} />],
            ['Subscription', payment.subscriptionId && <ObjectLink id={payment.subscriptionId} />],
            ['Processor', payment.processorId],
            ['Metadata', metadataOf(payment)],
          ]}
        />
      </Section>
      <RefundRequestsOf requests={view.refundRequests} />
      <SimpleGrid cols={{ base: 1, lg: 2 }}>
        <Section title="Timeline">
          <Moments of={momentsOf(payment.id, view)} />
        </Section>
        <Postings postings={view.postings} />
      </SimpleGrid>
      <DeliveriesOf deliveries={payment.deliveries} objectId={payment.id} />
    </Detail>
  );
}
