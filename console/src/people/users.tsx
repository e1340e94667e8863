import * as enums from '../graph/enums.ts';
import { graphql } from '../graph/graphql.ts';
import { choice, idFilter, objectFilter } from '../ui/list-definition.ts';
import { listPage } from '../ui/list-page.tsx';
import { DoneBy } from '../ui/object-link.tsx';
import { Time } from '../ui/time.tsx';

const document = graphql(`
  query Users($limit: ListLimit!, $offset: ListOffset!, $q: ShortText, $platformRole: PlatformRole, $partnerScope: String) {
    list: users(limit: $limit, offset: $offset, q: $q, platformRole: $platformRole, partnerScope: $partnerScope) {
      total
      items: rows { idpUserId email platformRoles whitelabelOwnership createdAt }
    }
  }
`);

export const Users = listPage({
  title: 'Users',
  about: 'Users and their roles.',
  right: 'directory',
  document,
  columns: [
    { name: 'Email', cell: ({ email }) => email },
    { name: 'Roles', cell: ({ platformRoles }) => platformRoles.join(', ') || 'None' },
    {
      name: 'Partner',
      cell: ({ whitelabelOwnership, platformRoles }) =>
        whitelabelOwnership ?? (platformRoles.length > 0 ? 'Internal' : 'None'),
    },
    {
      name: 'Created',
      cell: ({ createdAt, idpUserId }) => (
        <>
          <Time at={createdAt} /> <DoneBy actorUserId={idpUserId} />
        </>
      ),
    },
  ],
  filters: [
    idFilter('q', 'Search', 'part of the email'),
    choice('platformRole', 'Role', enums.PlatformRole, true),
    objectFilter('partnerScope', 'Partner', 'partner'),
  ],
  keyOf: ({ idpUserId }) => idpUserId,
  pathOf: ({ idpUserId }) => `/users/${idpUserId}`,
  noun: 'users',
  comes: 'People appear here when they accept an invitation.',
});
