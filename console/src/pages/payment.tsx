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
import { PaymentActions } from '../parts/payment-actions.tsx';
import { RefundRequestsOf, RequestRow } from '../parts/refund-requests-of.tsx';
import { ResolvePayment } from '../parts/resolve-payment.tsx';
import { RowsSection } from '../parts/rows-section.tsx';
import { Status } from '../parts/status.tsx';
import { Time } from '../parts/time.tsx';
import { type Moment, Moments } from '../parts/timeline.tsx';
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
        orderId subscriptionId processorId requireAction
        deliveries(first: 10) @include(if: $isStaff) { ...DeliveryRow }
        customer { id email }
        account { id legalName partner @include(if: $isHub) { name } }
        store { name }
        paymentInstrument { id card { brand last4 expMonth expYear funding } }
      }
      transactions { id type status amount currency failureCode processorReference createdAt }
      refunds { id amount currency status reason createdAt }
      disputes { id amount currency status reason evidenceDueAt createdAt }
      postings { journalEntryId account amount currency createdAt }
      blockedBy { blockRuleId name criteria }
      events { id type sequence createdAt }
      auditRows { id action actorEmail outcome reason after at }
    }
  }
`,
  [DeliveryRow, RequestRow],
);

type View = NonNullable<ResultOf<typeof document>['operatorPayment']>;

/** A payment with everything that belongs to it. */
export function Payment() {
  const id = usePathId();
  const person = usePerson();
  const query = useDetail(document, { id, isHub: may(person, 'hub'), isStaff: may(person, 'platformStaff') }, (data) =>
    whileSending(data.operatorPayment?.payment.deliveries),
  );
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
          ]}
        />
      </Section>
      <RefundRequestsOf requests={view.refundRequests} />
      <SimpleGrid cols={{ base: 1, lg: 2 }}>
        <Section title="Timeline">
          <Moments of={momentsOf(view)} />
        </Section>
        <Postings view={view} />
      </SimpleGrid>
      <DeliveriesOf deliveries={payment.deliveries} objectId={payment.id} />
    </Detail>
  );
}

/** Attempts, refunds, disputes, events and what operators did, in one order. */
function momentsOf(view: View): Moment[] {
  const { transactions, refunds, disputes, events, auditRows } = view;
  return [
    // A refund has a row of its own, with its reason.
    ...transactions
      .filter(({ type }) => type !== 'refund')
      .map((row) => ({
        key: row.id,
        at: row.createdAt,
        title: (
          <>
            {inWords(row.type)} of <Money {...row} /> <Status of={row.status} />
          </>
        ),
        detail: row.failureCode ?? row.processorReference ?? '',
        color: row.failureCode ? 'red' : 'green',
      })),
    ...refunds.map((row) => ({
      key: row.id,
      at: row.createdAt,
      title: (
        <>
          refund of <Money {...row} /> <Status of={row.status} />
        </>
      ),
      detail: row.reason ?? '',
    })),
    ...disputes.map((row) => ({
      key: row.id,
      at: row.createdAt,
      title: (
        <>
          <PathLink path={`/payments/${view.payment.id}/disputes/${row.id}`}>dispute</PathLink> of <Money {...row} />{' '}
          <Status of={row.status} />
        </>
      ),
      detail: inWords(row.reason),
      color: 'red',
    })),
    ...(events ?? []).map((row) => ({
      key: row.id,
      at: row.createdAt,
      title: `event ${row.type}`,
      detail: <PathLink path={`/events/${row.id}`}>show</PathLink>,
      color: 'gray',
    })),
    ...(auditRows ?? []).map((row) => ({
      key: row.id,
      at: row.at,
      title: `${row.action} by ${row.actorEmail ?? 'an API key'}`,
      detail: reasonIn(row.after) ?? row.reason ?? row.outcome,
      color: 'yellow',
    })),
  ];
}

/** The reason that an operator gave, which is recorded with the change. */
function reasonIn(after: Record<string, unknown> | null): string | undefined {
  const reason = after?.['reason'];
  return typeof reason === 'string' ? reason : undefined;
}

function Postings({ view: { postings } }: { view: View }) {
  return (
    <RowsSection
      title="Ledger postings"
      rows={postings}
      keyOf={({ journalEntryId, account }) => `${journalEntryId} ${account}`}
      empty="Nothing has been posted."
      columns={[
        { name: 'Account', cell: ({ account }) => inWords(account) },
        { name: 'Amount', right: true, cell: (row) => <Money {...row} /> },
        { name: 'At', cell: ({ createdAt }) => <Time at={createdAt} /> },
      ]}
    />
  );
}
