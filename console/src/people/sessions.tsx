import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ask } from '../graph/ask.ts';
import { graphql, type ResultOf } from '../graph/graphql.ts';
import { Ready } from '../ui/detail-page.tsx';
import type { Column } from '../ui/list-definition.ts';
import { RowsSection } from '../ui/rows-section.tsx';
import { Status } from '../ui/status.tsx';
import { Time } from '../ui/time.tsx';
import { browserName } from './browser-name.ts';
import { EndOtherSessions, EndSession, EndUserSessions } from './session-actions.tsx';

const SessionRow = graphql(`
  fragment SessionRow on MySession {
    id isPresent createdAt expiresAt ipAddress userAgent
  }
`);
export const OwnSessions = graphql(
  `
  fragment OwnSessions on Me {
    sessions { ...SessionRow }
  }
`,
  [SessionRow],
);
const ofUser = graphql(
  `
  query UserSessions($userId: ID!) {
    userSessions(userId: $userId) { ...SessionRow }
  }
`,
  [SessionRow],
);
type Session = ResultOf<typeof SessionRow>;

const columns: readonly Column<Session>[] = [
  {
    name: 'Browser',
    cell: ({ userAgent }) => (
      <span className="long" title={userAgent ?? undefined}>
        {userAgent === null ? 'Unknown browser' : browserName(userAgent)}
      </span>
    ),
  },
  { name: 'Address', cell: ({ ipAddress }) => ipAddress ?? 'Unknown' },
  { name: 'Signed in', cell: ({ createdAt }) => <Time at={createdAt} /> },
  { name: 'Expires', cell: ({ expiresAt }) => <Time at={expiresAt} far /> },
];
const actions: Column<Session> = {
  name: 'Action',
  cell: (session) =>
    session.isPresent ? <Status of="present" detail="this session" /> : <EndSession session={session} />,
};

interface SessionTableProps {
  sessions: readonly Session[];
  columns: readonly Column<Session>[];
  aside: ReactNode;
}

function SessionTable({ sessions, ...shown }: SessionTableProps) {
  return <RowsSection title="Sessions" rows={sessions} keyOf={({ id }) => id} empty="No sessions." {...shown} />;
}

/** The sessions of the person who is signed in, each of which can be ended. */
export function Sessions({ sessions }: { sessions: readonly Session[] }) {
  const others = sessions.filter(({ isPresent }) => !isPresent).length;
  return (
    <SessionTable sessions={sessions} columns={[...columns, actions]} aside={<EndOtherSessions count={others} />} />
  );
}

/** The sessions of another user, which superadmins end. */
export function SessionsOf({ user }: { user: { id: string; email: string } }) {
  const query = useQuery({
    queryKey: ['sessions of user', user.id],
    queryFn: ({ signal }) => ask(ofUser, { userId: user.id }, { signal }),
  });
  return (
    <Ready query={query}>
      {({ userSessions }) => (
        <SessionTable
          sessions={userSessions ?? []}
          columns={columns}
          aside={<EndUserSessions user={user} count={userSessions?.length ?? 0} />}
        />
      )}
    </Ready>
  );
}
