import { PathLink } from './detail-page.tsx';
import { may, usePerson } from './person.tsx';

/** The pages of objects by the prefix of their identifiers. */
const pages: Readonly<Record<string, string>> = {
  pay: '/payments',
  cus: '/customers',
  ord: '/orders',
  sub: '/subscriptions',
  tpa: '/accounts',
  wh: '/endpoints',
  evt: '/events',
  par: '/partners',
  clock: '/test-clocks',
};

/** The path of the page of an object below the mode; undefined if it has none. */
function pathOfObject(id: string): string | undefined {
  const page = pages[id.slice(0, id.indexOf('_'))];
  return page && `${page}/${id}`;
}

/** An identifier that leads to the page of its object, if there is one. */
export function ObjectLink({ id }: { id: string | null | undefined }) {
  const readsPartners = may(usePerson(), 'hub');
  if (!id) return null;
  const path = id.startsWith('par_') && !readsPartners ? undefined : pathOfObject(id);
  return path ? <PathLink path={path}>{id}</PathLink> : <span>{id}</span>;
}

/** Leads to what a user or a key has changed, for who may read the audit log. */
export function DoneBy({ actorUserId }: { actorUserId: string }) {
  if (!may(usePerson(), 'auditor')) return null;
  return (
    <PathLink path="/audit" search={{ actorUserId }}>
      changes
    </PathLink>
  );
}
