import { Code, SimpleGrid, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { ask } from '../graph/ask.ts';
import { graphql, type ResultOf } from '../graph/graphql.ts';
import { whileSending } from '../parts/deliveries-of.tsx';
import { Detail, PathLink, Ready, usePathId } from '../parts/detail-page.tsx';
import { Facts, Id, Section } from '../parts/facts.tsx';
import type { Search } from '../parts/list-definition.ts';
import { ObjectLink } from '../parts/object-link.tsx';
import { Redeliver } from '../parts/redeliver.tsx';
import { Empty } from '../parts/states.tsx';
import { Status } from '../parts/status.tsx';
import { Time } from '../parts/time.tsx';
import { type Mode, useMode } from '../shell/mode.ts';

const ofEvent = graphql(`
  query DeliveriesOfEvent($mode: Mode!, $id: ID!) {
    list: operatorDeliveries(mode: $mode, pageSize: 50, filters: { eventId: $id }) {
      items {
        id endpointId objectId status createdAt nextAttemptAt
        attempts { at status durationMs error responseBody }
      }
    }
  }
`);
const ofObject = graphql(`
  query EventsOfObject($mode: Mode!, $objectId: ID!) {
    list: operatorEvents(mode: $mode, pageSize: 100, filters: { objectId: $objectId }) {
      items { id type objectId sequence requestId platformAccountId createdAt data }
    }
  }
`);

type Delivery = NonNullable<ResultOf<typeof ofEvent>['list']>['items'][number];
type EventView = NonNullable<ResultOf<typeof ofObject>['list']>['items'][number];

/** An event: what was sent of it, to whom, what they answered, and when it is tried next. */
export function Event() {
  const mode = useMode();
  const id = usePathId();
  const { object }: Search = useSearch({ strict: false });
  const query = useQuery({
    queryKey: ['event', mode, id, object],
    queryFn: ({ signal }) => read(mode, id, object, signal),
    refetchInterval: ({ state }) => whileSending(state.data?.deliveries),
  });
  return (
    <Ready query={query}>
      {({ event, deliveries }) =>
        event ? <EventPage event={event} deliveries={deliveries} /> : <Empty>There is no such event any more.</Empty>
      }
    </Ready>
  );
}

/** No root field returns an event to people: it is found among those of its object, which its deliveries name. */
async function read(mode: Mode, id: string, object: string | undefined, signal: AbortSignal) {
  const deliveries = (await ask(ofEvent, { mode, id }, { signal })).list?.items ?? [];
  const objectId = object ?? deliveries[0]?.objectId;
  const events = objectId === undefined ? [] : (await ask(ofObject, { mode, objectId }, { signal })).list?.items;
  return { deliveries, event: events?.find((event) => event.id === id) };
}

function EventPage({ event, deliveries }: { event: EventView; deliveries: readonly Delivery[] }) {
  return (
    <Detail title={event.type} list={{ name: 'Events', path: '/events' }}>
      <Section title="Event">
        <Facts
          of={[
            ['Identifier', <Id>{event.id}</Id>],
            ['At', <Time at={event.createdAt} far />],
            ['Object', <ObjectLink id={event.objectId} />],
            ['Number among the events of its object', event.sequence],
            [
              'Request',
              <PathLink path="/audit" search={{ requestId: event.requestId }}>
                {event.requestId}
              </PathLink>,
            ],
            ['Account', <ObjectLink id={event.platformAccountId} />],
          ]}
        />
      </Section>
      <SimpleGrid cols={{ base: 1, lg: 2 }}>
        <Stack>
          {deliveries.length === 0 && <Empty>No endpoint listens to this event.</Empty>}
          {deliveries.map((delivery) => (
            <DeliverySection key={delivery.id} delivery={delivery} />
          ))}
        </Stack>
        <Section title="What is sent as data">
          <Code block tabIndex={0} className="payload">
            {JSON.stringify(event.data, null, 2)}
          </Code>
        </Section>
      </SimpleGrid>
    </Detail>
  );
}

function DeliverySection({ delivery }: { delivery: Delivery }) {
  const { endpointId, status, nextAttemptAt, attempts } = delivery;
  return (
    <Section title={`To ${endpointId}`} aside={<Redeliver delivery={delivery} />}>
      <Stack gap="xs">
        <Text size="sm" component="div">
          <Status of={status} />{' '}
          {nextAttemptAt && (
            <>
              next attempt <Time at={nextAttemptAt} far />
            </>
          )}
        </Text>
        {attempts.length === 0 && (
          <Text size="sm" c="dimmed">
            {status === 'dead' ? 'It was never sent: the endpoint was switched off.' : 'It has not been sent yet.'}
          </Text>
        )}
        {attempts.toReversed().map(({ at, status: answer, durationMs, error, responseBody }) => (
          <Stack key={at} gap={4} className="attempt">
            <Text size="sm" component="div">
              <strong>{answer ?? 'No answer'}</strong> after {durationMs} ms, <Time at={at} />
            </Text>
            {error && <Text size="sm">{error}</Text>}
            {responseBody && (
              <Code block tabIndex={0}>
                {responseBody}
              </Code>
            )}
          </Stack>
        ))}
      </Stack>
    </Section>
  );
}
