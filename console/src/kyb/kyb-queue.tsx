import { graphql } from '../graph/graphql.ts';
import { listPage } from '../ui/list-page.tsx';
import { Status } from '../ui/status.tsx';
import { Time } from '../ui/time.tsx';

const document = graphql(`
  query KybQueue($mode: Mode!, $isHub: Boolean!, $page: PageNumber, $pageSize: PageSize, $partnerSlug: Slug) {
    list: kybQueue(mode: $mode, page: $page, pageSize: $pageSize, partnerSlug: $partnerSlug) {
      total
      totalPages
      items { submittedAt account { id legalName kybStatus country partner @include(if: $isHub) { name } } }
    }
  }
`);

const exportDocument = graphql(`
  mutation ExportKybQueue($mode: Mode!, $partnerSlug: Slug) {
    begun: createExport(list: { kybQueue: true }, mode: $mode, partnerSlug: $partnerSlug) { url rows }
  }
`);

export const KybQueue = listPage({
  title: 'KYB reviews',
  about: 'Live accounts awaiting review, oldest first. Test accounts need no review.',
  right: 'directory',
  byPartner: true,
  document,
  exportDocument,
  columns: [
    { name: 'Legal name', cell: ({ account }) => account.legalName },
    { name: 'KYB', cell: ({ account }) => <Status of={account.kybStatus} /> },
    { name: 'Waiting since', cell: ({ submittedAt }) => <Time at={submittedAt} far /> },
    { name: 'Partner', cell: ({ account }) => account.partner?.name ?? '' },
    { name: 'Country', cell: ({ account }) => account.country ?? '' },
  ],
  keyOf: ({ account }) => account.id,
  pathOf: ({ account }) => `/kyb/${account.id}`,
  noun: 'accounts awaiting review',
  comes: 'Live accounts appear here when they have submitted everything.',
});
