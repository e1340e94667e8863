import { graphql } from '../graph/graphql.ts';
import { Action } from '../ui/action.tsx';
import { localTime } from '../ui/format.ts';
import { refusalReason, usePerson } from '../ui/person.tsx';

const end = graphql(`
  mutation EndSession($id: ID!) {
    endMySession(id: $id) { id }
  }
`);
const endOthers = graphql(`
  mutation EndOtherSessions {
    endMyOtherSessions { endedCount }
  }
`);

const endOfUser = graphql(`
  mutation EndUserSessions($userId: ID!, $reason: Name!) {
    endUserSessions(userId: $userId, reason: $reason) { endedCount }
  }
`);

/** Ends every session of another user. */
export function EndUserSessions({
  user: { id, email },
  count,
}: {
  user: { id: string; email: string };
  count: number;
}) {
  const refused = refusalReason(usePerson(), 'superadmin');
  return (
    <Action
      name="End all sessions"
      of={`of ${email}`}
      keep="Keep sessions"
      color="red"
      document={endOfUser}
      refused={refused ?? (count === 0 ? 'No sessions.' : undefined)}
      consequence={`Signs out ${email} everywhere. They can sign in again.`}
      variables={(reason) => ({ userId: id, reason })}
      outcome={({ endUserSessions: done }) => `${done?.endedCount ?? 0} ended`}
    />
  );
}

/** Ends another session of the person. */
export function EndSession({ session: { id, createdAt } }: { session: { id: string; createdAt: string } }) {
  return (
    <Action
      name="End session"
      keep="Keep session"
      color="red"
      takesReason={false}
      document={end}
      consequence={`Signs out the session of ${localTime(createdAt)}.`}
      variables={() => ({ id })}
    />
  );
}

/** Ends every session of the person but the present one. */
export function EndOtherSessions({ count }: { count: number }) {
  return (
    <Action
      name="End all other sessions"
      keep="Keep sessions"
      color="red"
      takesReason={false}
      document={endOthers}
      refused={count === 0 ? 'No other sessions.' : undefined}
      consequence={`Signs out all other sessions: ${count}. If one is not yours, change your password.`}
      variables={() => ({})}
      outcome={({ endMyOtherSessions: done }) => `${done?.endedCount ?? 0} ended`}
    />
  );
}
