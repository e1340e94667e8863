import { graphql } from '../graph/graphql.ts';
import { DoneBy } from '../parts/done-by.tsx';
import { choice, idFilter } from '../parts/list-definition.ts';
import { listPage } from '../parts/list-page.tsx';
import { CreateListedPartnerKey } from '../parts/partner-key.tsx';
import { RevokeKey } from '../parts/revoke-key.tsx';
import { Status } from '../parts/status.tsx';
import { Time } from '../parts/time.tsx';

const document = graphql(`
  query Keys($mode: Mode!, $page: PageNumber, $pageSize: PageSize, $filters: OperatorKeyFilters, $partnerSlug: Slug) {
    list: operatorKeys(mode: $mode, page: $page, pageSize: $pageSize, filters: $filters, partnerSlug: $partnerSlug) {
      total
      totalPages
      items { id label kind prefix status createdAt lastUsedAt expiresAt platformAccountId }
    }
  }
`);

export const ApiKeys = listPage({
  title: 'API keys',
  about: 'The keys of partners and of their merchants, without their secrets.',
  right: 'directory',
  byPartner: true,
  document,
  actions: () => <CreateListedPartnerKey />,
  columns: [
    { name: 'Label', cell: ({ label }) => label },
    { name: 'Kind', cell: ({ kind }) => (kind === 'partner' ? 'partner key' : 'sub-key') },
    { name: 'Begins with', cell: ({ prefix }) => <code>{prefix}</code> },
    { name: 'Status', cell: ({ status }) => <Status of={status} /> },
    {
      name: 'Last used',
      cell: ({ lastUsedAt, id }) => (
        <>
          <Time at={lastUsedAt} /> <DoneBy actorUserId={id} />
        </>
      ),
    },
    { name: 'Expires', cell: ({ expiresAt }) => <Time at={expiresAt} /> },
    { name: 'Created', cell: ({ createdAt }) => <Time at={createdAt} /> },
    { name: 'Action', cell: (row) => <RevokeKey apiKey={row} /> },
  ],
  filters: [
    choice('kind', 'Kind', ['partner', 'sub']),
    choice('status', 'Status', ['active', 'revoked']),
    idFilter('platformAccountId', 'Account', 'tpa_…'),
  ],
  keyOf: ({ id }) => id,
  pathOf: ({ platformAccountId }) => (platformAccountId ? `/accounts/${platformAccountId}` : undefined),
  empty: 'No key matches.',
});
