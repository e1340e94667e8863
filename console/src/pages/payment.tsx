import { SimpleGrid, Stack } from '@mantine/core';
import type { ResultOf } from '../graph/graphql.ts';
import { graphql } from '../graph/graphql.ts';
import { DataTable } from '../parts/data-table.tsx';
import { Detail, PathLink, Ready, useDetail, usePathId } from '../parts/detail-page.tsx';
import { Facts, Id, Section } from '../parts/facts.tsx';
import { inWords } from '../parts/format.ts';
import { Money } from '../parts/money.tsx';
import { PaymentActions } from '../parts/payment-actions.tsx';
import { Empty } from '../parts/states.tsx';
import { Status } from '../parts/status.tsx';
import { Time } from '../parts/time.tsx';
import { type Moment, Moments } from '../parts/timeline.tsx';
import { may, usePerson } from '../shell/person.tsx';

const document = graphql(`
  query Payment($id: ID!, $isHub: Boolean!) {
    operatorPayment(paymentId: $id) {
      partnerId
      payment {
        id livemode amount capturedAmount refundedAmount currency status subStatus failureCode failureMessage createdAt
        orderId subscriptionId processorId requireAction
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
`);

type View = NonNullable<ResultOf<typeof document>['operatorPayment']>;

/** A payment with everything that belongs to it. */
export function Payment() {
  const id = usePathId();
  const query = useDetail(document, { id, isHub: may(usePerson(), 'hub') });
  return (
    <Ready query={query}>
      {({ operatorPayment: view }) => (view ? <PaymentView view={view} /> : <Empty>There is no such payment.</Empty>)}
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
          {money(payment.amount)}{' '}
          <Status of={payment.status} detail={payment.status === 'pending' ? payment.subStatus : null} />
        </>
      }
      list={{ name: 'Payments', path: '/payments' }}
      actions={<PaymentActions payment={payment} />}
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
            ['Customer', payment.customer.email],
            ['Card', card && `${card.brand} ···· ${card.last4}, ${card.expMonth}/${card.expYear}, ${card.funding}`],
            [
              'Account',
              payment.account && (
                <PathLink path={`/accounts/${payment.account.id}`}>{payment.account.legalName}</PathLink>
              ),
            ],
            ['Partner', payment.account?.partner?.name ?? view.partnerId],
            ['Store', payment.store?.name],
            ['Order', payment.orderId],
            ['Subscription', payment.subscriptionId && <Id>{payment.subscriptionId}</Id>],
            ['Processor', payment.processorId],
          ]}
        />
      </Section>
      <SimpleGrid cols={{ base: 1, lg: 2 }}>
        <Section title="Timeline">
          <Moments of={momentsOf(view)} />
        </Section>
        <Stack>
          <Postings view={view} />
        </Stack>
      </SimpleGrid>
    </Detail>
  );
}

/** Attempts, refunds, disputes, events and what operators did, in one order. */
function momentsOf({ transactions, refunds, disputes, events, auditRows }: View): Moment[] {
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
          dispute of <Money {...row} /> <Status of={row.status} />
        </>
      ),
      detail: inWords(row.reason),
      color: 'red',
    })),
    ...(events ?? []).map((row) => ({
      key: row.id,
      at: row.createdAt,
      title: `event ${row.type}`,
      detail: (
        <PathLink path="/deliveries" search={{ eventId: row.id }}>
          deliveries
        </PathLink>
      ),
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
    <Section title="Ledger postings">
      {postings.length === 0 ? (
        <Empty>Nothing has been posted.</Empty>
      ) : (
        <DataTable
          label="Ledger postings"
          rows={postings}
          keyOf={({ journalEntryId, account }) => `${journalEntryId} ${account}`}
          columns={[
            { name: 'Account', cell: ({ account }) => inWords(account) },
            { name: 'Amount', right: true, cell: (row) => <Money {...row} /> },
            { name: 'At', cell: ({ createdAt }) => <Time at={createdAt} /> },
          ]}
        />
      )}
    </Section>
  );
}
