import * as enums from '../graph/enums.ts';
import { graphql } from '../graph/graphql.ts';
import { choice } from '../ui/list-definition.ts';
import { listPage } from '../ui/list-page.tsx';
import { Status } from '../ui/status.tsx';
import { Time } from '../ui/time.tsx';
import { CreatePartner } from './partner-actions.tsx';

const document = graphql(`
  query Partners($status: [PartnerStatus!]) {
    list: partners(status: $status) {
      total
      items: rows { id slug name status merchantCount orgCount staffCount createdAt }
    }
  }
`);

export const Partners = listPage({
  title: 'Partners',
  about: 'Businesses that take payments for their merchants.',
  right: 'hub',
  document,
  isWhole: true,
  actions: () => <CreatePartner />,
  columns: [
    { name: 'Name', cell: ({ name }) => name },
    { name: 'Slug', cell: ({ slug }) => slug },
    { name: 'Status', cell: ({ status }) => <Status of={status} /> },
    { name: 'Merchants', right: true, cell: ({ merchantCount }) => merchantCount },
    { name: 'Organizations', right: true, cell: ({ orgCount }) => orgCount },
    { name: 'Staff', right: true, cell: ({ staffCount }) => staffCount },
    { name: 'Created', cell: ({ createdAt }) => <Time at={createdAt} /> },
  ],
  filters: [choice('status', 'Status', enums.PartnerStatus)],
  keyOf: ({ id }) => id,
  pathOf: ({ slug }) => `/partners/${slug}`,
  noun: 'partners',
  comes: 'A superadmin creates partners.',
});
