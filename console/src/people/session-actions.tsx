import { graphql } from '../graph/graphql.ts';
import { Action } from '../ui/action.tsx';
import { localTime } from '../ui/format.ts';

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

/** Ends another session of the person. */
export function EndSession({ session: { id, createdAt } }: { session: { id: string; createdAt: string } }) {
  return (
    <Action
      name="End"
      color="red"
      takesReason={false}
      document={end}
      consequence={`Whoever uses the session of ${localTime(createdAt)} is signed out at once.`}
      variables={() => ({ id })}
    />
  );
}

/** Ends every session of the person but the present one. */
export function EndOtherSessions({ count }: { count: number }) {
  return (
    <Action
      name="End all others"
      color="red"
      takesReason={false}
      document={endOthers}
      refused={count === 0 ? 'There is no other session.' : undefined}
      consequence={`Every other browser and program is signed out at once: ${count}. If one of them is not yours, change your password, too.`}
      variables={() => ({})}
      outcome={({ endMyOtherSessions: done }) => `${done?.endedCount ?? 0} ended`}
    />
  );
}
