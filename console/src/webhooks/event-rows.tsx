import { graphql, type ResultOf } from '../graph/graphql.ts';
import { RowsSection } from '../ui/rows-section.tsx';
import { Time } from '../ui/time.tsx';

export const EventRow = graphql(`
  fragment EventRow on Event { id type sequence createdAt }
`);

type Event = ResultOf<typeof EventRow>;

/** The events of an object. People of partners may not read them. */
export function EventsOf({ events }: { events: readonly Event[] | null | undefined }) {
  if (!events) return null;
  return (
    <RowsSection
      title="Events"
      rows={events}
      keyOf={({ id }) => id}
      pathOf={({ id }) => `/events/${id}`}
      empty="No events yet."
      columns={[
        { name: 'Type', cell: ({ type }) => type },
        { name: 'Sequence', spare: true, right: true, cell: ({ sequence }) => sequence },
        { name: 'Time', cell: ({ createdAt }) => <Time at={createdAt} /> },
      ]}
    />
  );
}
