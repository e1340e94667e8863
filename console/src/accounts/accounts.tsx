import * as enums from '../graph/enums.ts';
import { graphql } from '../graph/graphql.ts';
import { PathLink } from '../ui/detail-page.tsx';
import { choice, created, idFilter, textFilter } from '../ui/list-definition.ts';
import { listPage } from '../ui/list-page.tsx';
import { Status, Words } from '../ui/status.tsx';
import { Time } from '../ui/time.tsx';

const document = graphql(`
  query Accounts(
    $mode: Mode!, $isHub: Boolean!, $page: PageNumber, $pageSize: PageSize, $filters: AccountFilters, $sortBy: AccountSort, $partnerSlug: Slug
  ) {
    list: accounts(
      mode: $mode, page: $page, pageSize: $pageSize, filters: $filters, sortBy: $sortBy, partnerSlug: $partnerSlug
    ) {
      total
      totalPages
      items { id legalName status kybStatus plan country createdAt partner @include(if: $isHub) { name slug } }
    }
  }
`);

const exportDocument = graphql(`
  mutation ExportAccounts($mode: Mode!, $filters: AccountFilters!, $partnerSlug: Slug) {
    begun: createExport(list: { accounts: $filters }, mode: $mode, partnerSlug: $partnerSlug) { url rows }
  }
`);

export const Accounts = listPage({
  title: 'Accounts',
  about: 'Processing accounts of merchants.',
  right: 'directory',
  byPartner: true,
  document,
  exportDocument,
  columns: [
    { name: 'Legal name', sort: 'legalName', cell: ({ legalName }) => legalName },
    { name: 'Status', cell: ({ status }) => <Status of={status} /> },
    { name: 'KYB', cell: ({ kybStatus }) => <Status of={kybStatus} /> },
    { name: 'Plan', cell: ({ plan }) => <Words of={plan} /> },
    {
      name: 'Partner',
      cell: ({ partner }) => partner && <PathLink path={`/partners/${partner.slug}`}>{partner.name}</PathLink>,
    },
    { name: 'Country', cell: ({ country }) => country ?? '' },
    { name: 'Created', sort: 'createdAt', cell: ({ createdAt }) => <Time at={createdAt} /> },
  ],
  filters: [
    choice('status', 'Status', enums.AccountStatus),
    choice('kybStatus', 'KYB', enums.KybStatus),
    textFilter('legalName', 'Legal name'),
    idFilter('externalRef', 'Partner reference', 'exact'),
    idFilter('country', 'Country', 'US', true),
    ...created,
  ],
  keyOf: ({ id }) => id,
  pathOf: ({ id }) => `/accounts/${id}`,
  noun: 'accounts',
  comes: 'Partners create an account for each merchant with a partner key.',
});
