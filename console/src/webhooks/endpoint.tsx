import { graphql, type ResultOf } from '../graph/graphql.ts';
import { Detail, PathLink, Ready, useDetail, usePathId } from '../ui/detail-page.tsx';
import { Facts, Id, Section, WithFacts } from '../ui/facts.tsx';
import { useMode } from '../ui/mode.ts';
import { AllRows, RowsSection } from '../ui/rows-section.tsx';
import { Status } from '../ui/status.tsx';
import { Time } from '../ui/time.tsx';
import { Attempts } from './delivery-attempts.tsx';
import { pathOfEvent, whileSending } from './delivery-rows.tsx';
import { EndpointActions, useNewSecret } from './endpoint-actions.tsx';
import { EndpointHealth } from './endpoint-health.tsx';
import { Redeliver } from './redeliver.tsx';

const document = graphql(`
  query Endpoint($mode: Mode!, $id: ID!) {
    endpoint: webhookEndpoint(webhookId: $id) {
      id url description eventTypes ordered livemode enabled disabledReason rotationEndsAt createdAt
      lastDeliveredAt failingSince openCount failedCount deadCount oldestDueAt
      account { id legalName }
      store { name }
    }
    deliveries: webhookDeliveries(mode: $mode, webhookId: $id, pageSize: 20) {
      items {
        id eventId eventType status nextAttemptAt createdAt
        attempts { status }
      }
    }
  }
`);

type Data = ResultOf<typeof document>;
type Endpoint = NonNullable<Data['endpoint']>;
type Delivery = NonNullable<Data['deliveries']>['items'][number];

/** Where events are sent: whether they arrive, what is open and dead, and the latest deliveries. */
export function Endpoint() {
  const query = useDetail(document, { mode: useMode(), id: usePathId() }, ({ deliveries }) =>
    whileSending(deliveries?.items),
  );
  return (
    <Ready query={query} missing="Webhook endpoint not found.">
      {({ endpoint, deliveries }) =>
        endpoint && <EndpointPage endpoint={endpoint} deliveries={deliveries?.items ?? []} />
      }
    </Ready>
  );
}

interface EndpointPageProps {
  endpoint: Endpoint;
  deliveries: readonly Delivery[];
}

function EndpointPage({ endpoint, deliveries }: EndpointPageProps) {
  const { id, account, rotationEndsAt } = endpoint;
  const newSecret = useNewSecret();
  const byStatus = (status: string, count: number) => (
    <PathLink path="/deliveries" search={{ endpointId: id, status }}>
      {count.toLocaleString()}
    </PathLink>
  );
  return (
    <Detail
      title={
        <>
          <span className="long">{endpoint.url}</span> <EndpointHealth of={endpoint} />
        </>
      }
      list={{ name: 'Webhook endpoints', path: '/endpoints' }}
      audited={id}
      livemode={endpoint.livemode}
      actions={<EndpointActions endpoint={endpoint} onSecret={newSecret.onSecret} />}
    >
      {newSecret.shown}
      <WithFacts
        title="Endpoint"
        of={[
          ['ID', <Id>{id}</Id>],
          ['Description', endpoint.description],
          [
            'Account',
            account ? (
              <PathLink path={`/accounts/${account.id}`}>{account.legalName}</PathLink>
            ) : (
              'All accounts of the partner'
            ),
          ],
          ['Store', endpoint.store?.name],
          ['Types', endpoint.eventTypes.join(', ')],
          ['Order', endpoint.ordered ? 'One delivery at a time for each object' : 'Any'],
          ['Previous secret valid until', rotationEndsAt && <Time at={rotationEndsAt} far />],
          ['Created', <Time at={endpoint.createdAt} />],
        ]}
      >
        <Section title="Health">
          <Facts
            of={[
              ['Failing since', endpoint.failingSince && <Time at={endpoint.failingSince} far />],
              ['Last success', endpoint.lastDeliveredAt ? <Time at={endpoint.lastDeliveredAt} far /> : 'None yet'],
              ['Pending', byStatus('pending', endpoint.openCount - endpoint.failedCount)],
              ['Retrying', byStatus('failed', endpoint.failedCount)],
              ['Dead', byStatus('dead', endpoint.deadCount)],
              ['Oldest due', endpoint.oldestDueAt && <Time at={endpoint.oldestDueAt} far />],
            ]}
          />
        </Section>
        <LatestDeliveries endpoint={endpoint} deliveries={deliveries} />
      </WithFacts>
    </Detail>
  );
}

function LatestDeliveries({ endpoint, deliveries }: EndpointPageProps) {
  const { id, enabled } = endpoint;
  return (
    <RowsSection
      title="Latest deliveries"
      rows={deliveries}
      keyOf={({ id }) => id}
      pathOf={pathOfEvent}
      empty="No deliveries yet."
      columns={[
        { name: 'Event', cell: ({ eventType }) => eventType },
        { name: 'Status', cell: ({ status }) => <Status of={status} /> },
        { name: 'Responses', cell: (row) => <Attempts delivery={row} /> },
        { name: 'Next attempt', spare: true, cell: ({ nextAttemptAt }) => <Time at={nextAttemptAt} far /> },
        { name: 'Created', spare: true, cell: ({ createdAt }) => <Time at={createdAt} /> },
        {
          name: 'Action',
          cell: (row) => <Redeliver delivery={{ ...row, endpoint }} isOff={!enabled} />,
        },
      ]}
      aside={<AllRows path="/deliveries" filters={{ endpointId: id }} />}
    />
  );
}
