import * as enums from '../graph/enums.ts';
import { graphql } from '../graph/graphql.ts';
import { PathLink } from '../ui/detail-page.tsx';
import { accountFilter, choice, defineList } from '../ui/list-definition.ts';
import { listPage } from '../ui/list-page.tsx';
import { DoneBy, PartnerLink } from '../ui/object-link.tsx';
import { Below, Status } from '../ui/status.tsx';
import { Time } from '../ui/time.tsx';
import { CreateListedPartnerKey, RevokeKey, revokeAll } from './api-key-actions.tsx';

const document = graphql(`
  query Keys(
    $mode: Mode!, $page: PageNumber, $pageSize: PageSize, $filters: ApiKeyFilters, $partnerSlug: Slug, $isHub: Boolean!
  ) {
    list: apiKeys(mode: $mode, page: $page, pageSize: $pageSize, filters: $filters, partnerSlug: $partnerSlug) {
      total
      totalPages
      items {
        id label kind prefix status createdAt lastUsedAt expiresAt allowedIps
        account { id legalName }
        partner @include(if: $isHub) { name slug }
      }
    }
  }
`);

export const apiKeyList = defineList({
  title: 'API keys',
  about: 'Keys of partners and merchants, without their secrets.',
  right: 'directory',
  byPartner: true,
  document,
  actions: () => <CreateListedPartnerKey />,
  columns: [
    {
      name: 'Label',
      cell: ({ label, kind, prefix }) => (
        <>
          {label}
          <Below>
            {kind === 'partner' ? 'Partner key' : 'Sub-key'} <code>{prefix}</code>
          </Below>
        </>
      ),
    },
    {
      name: 'Account',
      cell: ({ account, partner }) => (
        <>
          {account ? <PathLink path={`/accounts/${account.id}`}>{account.legalName}</PathLink> : 'All accounts'}
          <Below>{partner && <PartnerLink partner={partner} />}</Below>
        </>
      ),
    },
    {
      name: 'Status',
      cell: ({ status, expiresAt }) => (
        <>
          <Status of={status} />
          <Below>
            {expiresAt && (
              <>
                expires <Time at={expiresAt} />
              </>
            )}
          </Below>
        </>
      ),
    },
    {
      name: 'Last used',
      cell: ({ lastUsedAt, createdAt, id }) => (
        <>
          <Time at={lastUsedAt} /> <DoneBy actorUserId={id} />
          <Below>
            created <Time at={createdAt} />
          </Below>
        </>
      ),
    },
    { name: 'Allowed IPs', cell: ({ allowedIps }) => <span className="long">{allowedIps.join(', ') || 'Any'}</span> },
    { name: 'Action', cell: (row) => <RevokeKey apiKey={row} /> },
  ],
  bulk: [revokeAll],
  filters: [choice('kind', 'Type', enums.KeyKind), choice('status', 'Status', enums.KeyStatus), accountFilter],
  keyOf: ({ id }) => id,
  pathOf: ({ account }) => (account ? `/accounts/${account.id}` : undefined),
  noun: 'API keys',
  comes: 'Partner keys are created here, sub-keys with a partner key.',
});

export const ApiKeys = listPage(apiKeyList);
