import { Alert } from '@mantine/core';
import { useParams } from '@tanstack/react-router';
import { graphql, type ResultOf } from '../graph/graphql.ts';
import { serverNow } from '../graph/server-time.ts';
import { Detail, PathLink, Ready, useDetail, usePathId } from '../ui/detail-page.tsx';
import { Facts, Id, Section } from '../ui/facts.tsx';
import { distance, humanize, localTime } from '../ui/format.ts';
import { Missing } from '../ui/loading-empty-failed.tsx';
import { useMode } from '../ui/mode.ts';
import { Money } from '../ui/money.tsx';
import { ProcessorLink } from '../ui/object-link.tsx';
import { Status } from '../ui/status.tsx';
import { Time } from '../ui/time.tsx';
import { EventRow, EventsOf } from '../webhooks/event-rows.tsx';
import { DisputedPayment, Evidence } from './dispute-evidence.tsx';

const document = graphql(
  `
  query Dispute($mode: Mode!, $paymentId: ID!) {
    disputes(mode: $mode, pageSize: 50, filters: { paymentId: $paymentId }) {
      items {
        id amount currency status reason evidenceDueAt createdAt closedAt processorReference paymentId
        account { id legalName }
        processor { id name type platformAccountId }
        events(first: 10) { ...EventRow }
        payment { ...DisputedPayment }
      }
    }
  }
`,
  [DisputedPayment, EventRow],
);

type View = NonNullable<ResultOf<typeof document>['disputes']>['items'][number];

/** A dispute with its deadline and what the platform knows that speaks for the merchant. */
export function Dispute() {
  const { payment: paymentId = '' } = useParams({ strict: false }) as { payment?: string };
  const id = usePathId();
  const query = useDetail(document, { mode: useMode(), paymentId });
  return (
    <Ready query={query}>
      {({ disputes }) => {
        const dispute = disputes?.items.find((item) => item.id === id);
        return dispute ? <DisputePage dispute={dispute} /> : <Missing>Dispute not found.</Missing>;
      }}
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
      <Section title="Dispute">
        <Facts
          of={[
            ['ID', <Id>{dispute.id}</Id>],
            ['Reason', humanize(dispute.reason)],
            ['Opened', <Time at={dispute.createdAt} far />],
            ['Evidence due', evidenceDueAt && <Time at={evidenceDueAt} far />],
            ['Closed', dispute.closedAt && <Time at={dispute.closedAt} />],
            ['Processor', dispute.processor && <ProcessorLink of={dispute.processor} />],
            ['Processor reference', <Id>{processorReference}</Id>],
            ['Payment', <PathLink path={`/payments/${dispute.paymentId}`}>{dispute.paymentId}</PathLink>],
            ['Account', account && <PathLink path={`/accounts/${account.id}`}>{account.legalName}</PathLink>],
          ]}
        />
      </Section>
      {payment && <Evidence payment={payment} />}
      <EventsOf events={dispute.events} />
    </Detail>
  );
}
