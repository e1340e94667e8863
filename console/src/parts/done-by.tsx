import { may, usePerson } from '../shell/person.tsx';
import { PathLink } from './detail-page.tsx';

/** Leads to what a user or a key has changed, for who may read the audit log. */
export function DoneBy({ actorUserId }: { actorUserId: string }) {
  if (!may(usePerson(), 'hub')) return null;
  return (
    <PathLink path="/audit" search={{ actorUserId }}>
      changes
    </PathLink>
  );
}
