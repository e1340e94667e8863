import { graphql } from '../graph/graphql.ts';
import { choice, idFilter } from '../ui/list-definition.ts';
import { listPage } from '../ui/list-page.tsx';
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
  about: 'The merchants of every partner and those without one.',
  right: 'hub',
  byPartner: true,
  document,
  columns: [
    { name: 'Name', cell: ({ name }) => name },
    { name: 'Kind', cell: ({ kind }) => kind.replace('_', ' ') },
    { name: 'Partner', cell: ({ partnerName }) => partnerName ?? 'none' },
    { name: 'Since', cell: ({ createdAt }) => <Time at={createdAt} /> },
    { name: 'Actions', cell: (row) => <AssignOrganization organization={row} /> },
  ],
  filters: [
    idFilter('q', 'Search', 'part of the name'),
    choice('kind', 'Kind', ['partner_managed', 'self_serve'], true),
  ],
  keyOf: ({ accountId }) => accountId,
  empty: 'No organization matches.',
});
