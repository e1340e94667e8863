import { Code, Stack, Text } from '@mantine/core';
import { graphql, type ResultOf } from '../graph/graphql.ts';
import { Detail, PathLink, Ready, useDetail, usePathId } from '../ui/detail-page.tsx';
import { Id, Section, WithFacts } from '../ui/facts.tsx';
import { useMode } from '../ui/mode.ts';
import { ObjectLink } from '../ui/object-link.tsx';
import { may, usePerson } from '../ui/person.tsx';
import { Status } from '../ui/status.tsx';
import { Time } from '../ui/time.tsx';
import { DeliveryInspector, InspectedDelivery } from './delivery-inspector.tsx';
import { whileSending } from './delivery-rows.tsx';
import { Redeliver } from './redeliver.tsx';

const document = graphql(
  `
  query Event($mode: Mode!, $id: ID!) {
    event(eventId: $id) {
      id type objectId sequence requestId platformAccountId createdAt account { id legalName } data { object }
    }
    deliveries: webhookDeliveries(mode: $mode, pageSize: 20, filters: { eventId: $id }) {
      items { ...InspectedDelivery }
    }
  }
`,
  [InspectedDelivery],
);

type Data = ResultOf<typeof document>;
type Delivery = NonNullable<Data['deliveries']>['items'][number];

/** An event: what was sent of it, to whom, what they answered, and when it is tried next. */
export function Event() {
  const query = useDetail(document, { mode: useMode(), id: usePathId() }, ({ deliveries }) =>
    whileSending(deliveries?.items),
  );
  return (
    <Ready query={query} missing="Event not found.">
      {({ event, deliveries }) => event && <EventPage event={event} deliveries={deliveries?.items ?? []} />}
    </Ready>
  );
}

function EventPage({ event, deliveries }: { event: NonNullable<Data['event']>; deliveries: readonly Delivery[] }) {
  const mayAudit = may(usePerson(), 'auditor');
  return (
    <Detail title={event.type} list={{ name: 'Events', path: '/events' }}>
      <WithFacts
        title="Event"
        of={[
          ['ID', <Id>{event.id}</Id>],
          ['Time', <Time at={event.createdAt} far />],
          ['Object', <ObjectLink id={event.objectId} />],
          ['Sequence', event.sequence],
          [
            'Request',
            mayAudit ? (
              <PathLink path="/audit" search={{ requestId: event.requestId }}>
                {event.requestId}
              </PathLink>
            ) : (
              event.requestId
            ),
          ],
          ['Account', <ObjectLink id={event.platformAccountId} name={event.account?.legalName} />],
        ]}
      >
        {deliveries.length === 0 && (
          <Section title="Data">
            <Text size="sm" c="dimmed" mb="xs">
              No endpoint is subscribed to this event.
            </Text>
            <Code block tabIndex={0} className="payload">
              {JSON.stringify(event.data, null, 2)}
            </Code>
          </Section>
        )}
        {deliveries.map((delivery) => (
          <DeliverySection key={delivery.id} delivery={delivery} />
        ))}
      </WithFacts>
    </Detail>
  );
}

function DeliverySection({ delivery }: { delivery: Delivery }) {
  const { endpointId, endpoint, status, nextAttemptAt } = delivery;
  return (
    <Section title={`To ${endpoint?.url ?? endpointId}`} aside={<Redeliver delivery={delivery} />}>
      <Stack gap="xs">
        <Text size="sm" component="div">
          <Status of={status} />{' '}
          {nextAttemptAt && (
            <>
              next attempt <Time at={nextAttemptAt} far />
            </>
          )}
        </Text>
        <DeliveryInspector delivery={delivery} />
      </Stack>
    </Section>
  );
}
