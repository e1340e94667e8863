import { graphql } from '../graph/graphql.ts';
import { AuditChain } from '../parts/audit-chain.tsx';
import { choice, days, idFilter } from '../parts/list-definition.ts';
import { listPage } from '../parts/list-page.tsx';
import { ObjectLink } from '../parts/object-link.tsx';
import { Payload } from '../parts/payload.tsx';
import { Status } from '../parts/status.tsx';
import { Time } from '../parts/time.tsx';

const document = graphql(`
  query Audit($page: PageNumber, $pageSize: PageSize, $filters: AuditFilters) {
    list: auditLog(page: $page, pageSize: $pageSize, filters: $filters) {
      total
      totalPages
      items { id sequence at action outcome actorKind actorEmail target reason requestId ip before after }
    }
  }
`);

const exportDocument = graphql(`
  mutation ExportAuditLog($filters: AuditFilters) {
    begun: exportAuditLog(filters: $filters) { url rows }
  }
`);

export const Audit = listPage({
  title: 'Audit log',
  about: 'Who did what, in both modes. Each row contains the hash of the one before it.',
  right: 'hub',
  document,
  exportDocument,
  actions: () => <AuditChain />,
  columns: [
    { name: 'At', cell: ({ at }) => <Time at={at} /> },
    { name: 'Action', cell: ({ action }) => action },
    {
      name: 'Outcome',
      cell: ({ outcome, reason }) => (
        <>
          <Status of={outcome} /> {reason}
        </>
      ),
    },
    { name: 'Who', cell: ({ actorEmail, actorKind }) => actorEmail ?? actorKind },
    { name: 'Target', cell: ({ target }) => <ObjectLink id={target} /> },
    { name: 'Request', cell: ({ requestId }) => requestId },
    { name: 'Change', cell: ({ action, before, after }) => <Payload title={action} value={{ before, after }} /> },
  ],
  filters: [
    choice('outcome', 'Outcome', ['allowed', 'denied', 'failed']),
    idFilter('action', 'Action', 'refundPayment', true),
    idFilter('actorEmail', 'E-mail', 'exact'),
    idFilter('target', 'Target', 'any identifier'),
    idFilter('requestId', 'Request', 'req_…'),
    ...days('at', 'Done'),
  ],
  keyOf: ({ id }) => id,
  empty: 'No row matches.',
});
