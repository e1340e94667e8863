import * as enums from '../graph/enums.ts';
import { graphql } from '../graph/graphql.ts';
import { PathLink } from '../ui/detail-page.tsx';
import { choice, idFilter } from '../ui/list-definition.ts';
import { listPage } from '../ui/list-page.tsx';
import { Words } from '../ui/status.tsx';
import { Time } from '../ui/time.tsx';
import { AssignOrganization } from './organization-actions.tsx';

const document = graphql(`
  query Organizations(
    $limit: ListLimit!, $offset: ListOffset!, $q: ShortText, $kind: OrganizationKind, $partnerSlug: Slug
  ) {
    list: organizations(limit: $limit, offset: $offset, q: $q, kind: $kind, partnerSlug: $partnerSlug) {
      total
      items: rows { accountId name kind partnerName partnerSlug createdAt }
    }
  }
`);

export const Organizations = listPage({
  title: 'Organizations',
  about: 'Merchants of all partners, and merchants without a partner.',
  right: 'hub',
  byPartner: true,
  document,
  columns: [
    { name: 'Name', cell: ({ name }) => name },
    { name: 'Type', cell: ({ kind }) => <Words of={kind} /> },
    {
      name: 'Partner',
      cell: ({ partnerName, partnerSlug }) =>
        partnerSlug === null ? 'None' : <PathLink path={`/partners/${partnerSlug}`}>{partnerName}</PathLink>,
    },
    { name: 'Created', cell: ({ createdAt }) => <Time at={createdAt} /> },
    { name: 'Actions', cell: (row) => <AssignOrganization organization={row} /> },
  ],
  filters: [idFilter('q', 'Search', 'part of the name'), choice('kind', 'Type', enums.OrganizationKind, true)],
  keyOf: ({ accountId }) => accountId,
  noun: 'organizations',
  comes: 'Organizations of the identity provider appear here.',
});
