import { graphql, type ResultOf } from '../graph/graphql.ts';
import { DataTable } from '../ui/data-table.tsx';
import { Section } from '../ui/facts.tsx';
import { Status } from '../ui/status.tsx';
import { Time } from '../ui/time.tsx';
import { EndOtherSessions, EndSession } from './session-actions.tsx';

export const OwnSessions = graphql(`
  fragment OwnSessions on Me {
    sessions { id isPresent createdAt expiresAt ipAddress userAgent }
  }
`);
type Session = NonNullable<ResultOf<typeof OwnSessions>['sessions']>[number];

/** The sessions of the person who is signed in, each of which can be ended. */
export function Sessions({ sessions }: { sessions: readonly Session[] }) {
  const others = sessions.filter(({ isPresent }) => !isPresent).length;
  return (
    <Section title="Sessions" aside={<EndOtherSessions count={others} />}>
      <DataTable
        label="Sessions"
        rows={sessions}
        keyOf={({ id }) => id}
        columns={[
          { name: 'Browser', cell: ({ userAgent }) => <span className="long">{userAgent ?? 'Unknown browser'}</span> },
          { name: 'Address', cell: ({ ipAddress }) => ipAddress ?? 'Unknown' },
          { name: 'Signed in', cell: ({ createdAt }) => <Time at={createdAt} /> },
          { name: 'Expires', cell: ({ expiresAt }) => <Time at={expiresAt} far /> },
          {
            name: 'Action',
            cell: (session) =>
              session.isPresent ? <Status of="present" detail="this session" /> : <EndSession session={session} />,
          },
        ]}
      />
    </Section>
  );
}
