import { graphql, type ResultOf } from '../graph/graphql.ts';
import { PathLink } from '../ui/detail-page.tsx';
import { RowsSection } from '../ui/rows-section.tsx';
import { Status } from '../ui/status.tsx';
import { Time } from '../ui/time.tsx';
import { Attempts } from './delivery-attempts.tsx';
import { Redeliver } from './redeliver.tsx';

export const DeliveryRow = graphql(`
  fragment DeliveryRow on WebhookDelivery {
    id eventId eventType status createdAt nextAttemptAt
    attempts { status }
    endpoint { url }
  }
`);

type Delivery = ResultOf<typeof DeliveryRow>;

/** How often a page asks again while something is on its way, in milliseconds. */
export function whileSending(deliveries: readonly { status: string }[] | null | undefined): number | false {
  return deliveries?.some(({ status }) => status === 'pending') ? 2_000 : false;
}

/** The page of the event of a delivery. A test is no event of a list. */
export function pathOfEvent({ eventId, eventType }: { eventId: string; eventType: string }): string | undefined {
  return eventType === 'webhook/test' ? undefined : `/events/${eventId}`;
}

/** The webhook deliveries of an object. */
export function DeliveriesOf({
  deliveries,
  objectId,
}: {
  deliveries: readonly Delivery[] | null | undefined;
  objectId: string;
}) {
  if (!deliveries) return null;
  return (
    <RowsSection
      title="Webhooks"
      rows={deliveries}
      keyOf={({ id }) => id}
      pathOf={pathOfEvent}
      empty="No endpoint is subscribed to these events."
      columns={[
        { name: 'Event', cell: ({ eventType }) => eventType },
        { name: 'Status', cell: ({ status }) => <Status of={status} /> },
        { name: 'Responses', cell: (row) => <Attempts delivery={row} /> },
        { name: 'Endpoint', spare: true, cell: ({ endpoint }) => endpoint?.url ?? 'deleted' },
        { name: 'Next attempt', spare: true, cell: ({ nextAttemptAt }) => <Time at={nextAttemptAt} /> },
        { name: 'Action', cell: (row) => <Redeliver delivery={row} /> },
      ]}
      aside={
        <PathLink path="/deliveries" search={{ objectId }}>
          all
        </PathLink>
      }
    />
  );
}
