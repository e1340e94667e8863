import { graphql, type ResultOf } from '../graph/graphql.ts';
import { AllRows, RowsSection } from '../ui/rows-section.tsx';
import { Below, Status } from '../ui/status.tsx';
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
        {
          name: 'Event',
          cell: ({ eventType, endpoint }) => (
            <>
              {eventType}
              <Below>{endpoint?.url ?? 'The endpoint is deleted.'}</Below>
            </>
          ),
        },
        {
          name: 'Status',
          cell: ({ status, nextAttemptAt }) => (
            <>
              <Status of={status} />
              <Below>
                {nextAttemptAt && (
                  <>
                    Next attempt <Time at={nextAttemptAt} />
                  </>
                )}
              </Below>
            </>
          ),
        },
        { name: 'Responses', cell: (row) => <Attempts delivery={row} /> },
        { name: 'Action', cell: (row) => <Redeliver delivery={row} /> },
      ]}
      aside={<AllRows path="/deliveries" filters={{ objectId }} />}
    />
  );
}
