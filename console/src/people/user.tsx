import { useQuery } from '@tanstack/react-query';
import { ask } from '../graph/ask.ts';
import { graphql, type ResultOf } from '../graph/graphql.ts';
import { Detail, PathLink, Ready, useDetail, usePathId } from '../ui/detail-page.tsx';
import { Id, WithFacts } from '../ui/facts.tsx';
import { Missing } from '../ui/loading-empty-failed.tsx';
import { ObjectLink } from '../ui/object-link.tsx';
import { may, usePerson } from '../ui/person.tsx';
import { AllRows, RowsSection } from '../ui/rows-section.tsx';
import { Outcome } from '../ui/status.tsx';
import { Time } from '../ui/time.tsx';
import { Invitations } from './invitations.tsx';
import { OwnSessions, Sessions, SessionsOf } from './sessions.tsx';
import { MemberActions } from './staff-actions.tsx';
import { UserActions } from './user-actions.tsx';

const AuditPart = graphql(`
  fragment AuditPart on AuditPage {
    items { id at action outcome refusal reason actorKind actorUserId actorEmail target }
  }
`);
const document = graphql(
  `
  query User($id: ID!, $isSelf: Boolean!) {
    findUser(idpUserId: $id) {
      user { idpUserId email platformRoles whitelabelOwnership createdAt }
    }
    me @include(if: $isSelf) { ...OwnSessions }
  }
`,
  [OwnSessions],
);
/** An operation of its own: it is refused as a whole to people who may not read the audit log. */
const changesDocument = graphql(
  `
  query UserChanges($by: AuditFilters!, $about: AuditFilters!) {
    by: auditLog(pageSize: 10, filters: $by) { ...AuditPart }
    about: auditLog(pageSize: 10, filters: $about) { ...AuditPart }
  }
`,
  [AuditPart],
);
type Data = ResultOf<typeof document>;
type Found = NonNullable<NonNullable<Data['findUser']>['user']>;
type AuditRow = ResultOf<typeof AuditPart>['items'][number];

/** A user: roles and partner, sessions, what the user did, what was done to the user, and invitations. */
export function User() {
  const id = usePathId();
  const person = usePerson();
  const query = useDetail(document, { id, isSelf: person.userId === id });
  return (
    <Ready query={query} missing="User not found.">
      {(data) =>
        data.findUser?.user ? <UserPage user={data.findUser.user} data={data} /> : <Missing>User not found.</Missing>
      }
    </Ready>
  );
}

function UserPage({ user, data: { me } }: { user: Found; data: Data }) {
  const { idpUserId: id, email, platformRoles, whitelabelOwnership: slug, createdAt } = user;
  const person = usePerson();
  const readsPartners = may(person, 'hub');
  const isSuperadmin = may(person, 'superadmin');
  const member = { target: { userId: id }, userId: id, email, roles: platformRoles, status: 'active' };
  return (
    <Detail
      title={email}
      list={{ name: 'Users', path: '/users' }}
      actions={
        <>
          {slug !== null && <MemberActions slug={slug} member={member} />}
          {(slug === null || isSuperadmin) && <UserActions user={user} />}
        </>
      }
    >
      <WithFacts
        title="User"
        of={[
          ['Roles', platformRoles.join(', ') || 'None'],
          [
            'Partner',
            slug === null ? 'None' : readsPartners ? <PathLink path={`/partners/${slug}`}>{slug}</PathLink> : slug,
          ],
          ['ID', <Id key="id">{id}</Id>],
          ['Created', <Time key="at" at={createdAt} far />],
        ]}
      >
        {me ? <Sessions sessions={me.sessions ?? []} /> : readsPartners && <SessionsOf user={{ id, email }} />}
        <Changes id={id} />
        <Invitations of={{ email }} />
      </WithFacts>
    </Detail>
  );
}

/** The latest changes by and to the user, for who may read the audit log. */
function Changes({ id }: { id: string }) {
  const mayAudit = may(usePerson(), 'auditor');
  const query = useQuery({
    queryKey: ['changes of user', id],
    queryFn: ({ signal }) => ask(changesDocument, { by: { actorUserId: id }, about: { target: id } }, { signal }),
    enabled: mayAudit,
  });
  if (!mayAudit) return null;
  return (
    <Ready query={query}>
      {({ by, about }) => (
        <>
          <AuditRows
            title="Changes by this user"
            rows={by?.items ?? []}
            filters={{ actorUserId: id }}
            other={{ name: 'Target', cell: ({ target }) => <ObjectLink id={target} /> }}
          />
          <AuditRows
            title="Changes to this user"
            rows={about?.items ?? []}
            filters={{ target: id }}
            other={{
              name: 'Actor',
              cell: ({ actorEmail, actorUserId, actorKind }) =>
                actorEmail === null ? actorKind : <PathLink path={`/users/${actorUserId}`}>{actorEmail}</PathLink>,
            }}
          />
        </>
      )}
    </Ready>
  );
}

interface AuditRowsProps {
  title: string;
  rows: readonly AuditRow[];
  /** The filters of the audit log that show all of them. */
  filters: Record<string, string>;
  other: { name: string; cell(row: AuditRow): React.ReactNode };
}

function AuditRows({ title, rows, filters, other }: AuditRowsProps) {
  return (
    <RowsSection
      title={title}
      rows={rows}
      keyOf={({ id }) => id}
      empty="No changes yet."
      aside={<AllRows path="/audit" filters={filters} />}
      columns={[
        { name: 'Time', cell: ({ at }) => <Time at={at} /> },
        { name: 'Action', cell: ({ action }) => action },
        { name: 'Outcome', cell: (row) => <Outcome of={row} /> },
        other,
      ]}
    />
  );
}
