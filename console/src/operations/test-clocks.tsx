import * as enums from '../graph/enums.ts';
import { graphql } from '../graph/graphql.ts';
import { accountFilter, choice } from '../ui/list-definition.ts';
import { listPage } from '../ui/list-page.tsx';
import { AccountLink } from '../ui/object-link.tsx';
import { Status } from '../ui/status.tsx';
import { Time } from '../ui/time.tsx';
import { NewTestClock } from './test-clock-actions.tsx';

const document = graphql(`
  query TestClocks(
    $mode: Mode!, $page: PageNumber, $pageSize: PageSize, $filters: TestClockFilters, $partnerSlug: Slug
  ) {
    list: testClocks(
      mode: $mode, page: $page, pageSize: $pageSize, filters: $filters, partnerSlug: $partnerSlug
    ) {
      total
      totalPages
      items { id name now status stepsDone createdAt account { id legalName } }
    }
  }
`);

export const TestClocks = listPage({
  title: 'Test clocks',
  about: 'Simulated time for test customers: a year of renewals in seconds.',
  right: 'directory',
  byPartner: true,
  document,
  actions: () => <NewTestClock />,
  columns: [
    { name: 'Name', cell: ({ name }) => name },
    { name: 'Clock time', cell: ({ now }) => <Time at={now} /> },
    { name: 'Status', cell: ({ status }) => <Status of={status} /> },
    { name: 'Account', cell: ({ account }) => <AccountLink of={account} /> },
    { name: 'Steps in last advance', right: true, cell: ({ stepsDone }) => stepsDone },
    { name: 'Created', cell: ({ createdAt }) => <Time at={createdAt} /> },
  ],
  filters: [choice('status', 'Status', enums.TestClockStatus), accountFilter],
  keyOf: ({ id }) => id,
  pathOf: ({ id }) => `/test-clocks/${id}`,
  noun: 'test clocks',
  comes: 'Create one to simulate time for the customers of an account.',
});
