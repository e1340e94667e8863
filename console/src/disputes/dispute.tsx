import { Alert } from '@mantine/core';
import { graphql, type ResultOf } from '../graph/graphql.ts';
import { serverNow } from '../graph/server-time.ts';
import { Detail, PathLink, Ready, useDetail, usePathId } from '../ui/detail-page.tsx';
import { Id, WithFacts } from '../ui/facts.tsx';
import { distance, localTime, moneyText } from '../ui/format.ts';
import { Missing } from '../ui/loading-empty-failed.tsx';
import { Money } from '../ui/money.tsx';
import { ProcessorLink } from '../ui/object-link.tsx';
import { Status, Words } from '../ui/status.tsx';
import { Time } from '../ui/time.tsx';
import { EventRow, EventsOf } from '../webhooks/event-rows.tsx';
import { DisputedPayment, Evidence } from './dispute-evidence.tsx';

const document = graphql(
  `
  query Dispute($id: ID!) {
    dispute(disputeId: $id) {
      id amount currency status reason livemode evidenceDueAt createdAt closedAt processorReference paymentId
      account { id legalName }
      processor { id name type platformAccountId }
      events(first: 10) { ...EventRow }
      payment { ...DisputedPayment }
    }
  }
`,
  [DisputedPayment, EventRow],
);

type View = NonNullable<ResultOf<typeof document>['dispute']>;

/** A dispute with its deadline and what the platform knows that speaks for the merchant. */
export function Dispute() {
  const query = useDetail(document, { id: usePathId() });
  return (
    <Ready query={query} missing="Dispute not found.">
      {({ dispute }) => (dispute ? <DisputePage dispute={dispute} /> : <Missing>Dispute not found.</Missing>)}
    </Ready>
  );
}

function DisputePage({ dispute }: { dispute: View }) {
  const { payment, account, evidenceDueAt, processorReference } = dispute;
  return (
    <Detail
      title={
        <>
          Dispute of <Money {...dispute} /> <Status of={dispute.status} />
        </>
      }
      list={{ name: 'Disputes', path: '/disputes' }}
      livemode={dispute.livemode}
    >
      {dispute.status === 'needs_response' && (
        <Alert
          role="note"
          color={evidenceDueAt && Date.parse(evidenceDueAt) < serverNow() ? 'red' : 'yellow'}
          title={
            evidenceDueAt
              ? `Respond by ${localTime(evidenceDueAt)}, ${distance(evidenceDueAt, serverNow())}`
              : 'Response required'
          }
        >
          Submit evidence to the processor under {processorReference}. The recorded facts are below. Without evidence by
          the deadline, the dispute is lost.
        </Alert>
      )}
      <WithFacts
        title="Dispute"
        of={[
          ['ID', <Id>{dispute.id}</Id>],
          ['Reason', <Words of={dispute.reason} />],
          ['Opened', <Time at={dispute.createdAt} far />],
          ['Evidence due', evidenceDueAt && <Time at={evidenceDueAt} far />],
          ['Closed', dispute.closedAt && <Time at={dispute.closedAt} />],
          ['Processor', dispute.processor && <ProcessorLink of={dispute.processor} />],
          ['Processor reference', <Id>{processorReference}</Id>],
          [
            'Payment',
            <PathLink path={`/payments/${dispute.paymentId}`}>
              {payment ? moneyText(payment.amount, payment.currency) : dispute.paymentId}
            </PathLink>,
          ],
          ['Account', account && <PathLink path={`/accounts/${account.id}`}>{account.legalName}</PathLink>],
        ]}
      >
        {payment && <Evidence payment={payment} />}
        <EventsOf events={dispute.events} />
      </WithFacts>
    </Detail>
  );
}
