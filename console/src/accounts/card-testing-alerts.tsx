import { graphql } from '../graph/graphql.ts';
import { listPage } from '../ui/list-page.tsx';
import { Time } from '../ui/time.tsx';
import { Block } from './block-rule-actions.tsx';

const document = graphql(`
  query CardTestingAlerts($mode: Mode!, $page: PageNumber, $pageSize: PageSize, $partnerSlug: Slug) {
    list: cardTestingAlerts(mode: $mode, page: $page, pageSize: $pageSize, partnerSlug: $partnerSlug) {
      total
      totalPages
      items { id bin refusals platformAccountId createdAt updatedAt account { id legalName } }
    }
  }
`);

export const CardTestingAlerts = listPage({
  title: 'Card testing alerts',
  about: 'More than 20 card numbers in one day with the same visible digits.',
  right: 'platformStaff',
  byPartner: true,
  document,
  columns: [
    { name: 'Account', cell: ({ account, platformAccountId }) => account?.legalName ?? platformAccountId },
    { name: 'BIN', cell: ({ bin }) => <code>{bin}</code> },
    { name: 'Declined', right: true, cell: ({ refusals }) => refusals },
    { name: 'First seen', cell: ({ createdAt }) => <Time at={createdAt} /> },
    { name: 'Last seen', cell: ({ updatedAt }) => <Time at={updatedAt} /> },
    {
      name: 'Action',
      cell: ({ account, bin }) =>
        account && (
          <Block
            account={account}
            targets={[{ label: `Cards that begin with ${bin}`, name: 'Card testing', criterion: { bin } }]}
          />
        ),
    },
  ],
  keyOf: ({ id }) => id,
  pathOf: ({ platformAccountId }) => `/accounts/${platformAccountId}`,
  noun: 'card testing alerts',
  comes: 'An account appears here after more than 20 card numbers with the same visible digits in one day.',
});
