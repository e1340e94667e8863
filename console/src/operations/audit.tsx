import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { ask } from '../graph/ask.ts';
import * as enums from '../graph/enums.ts';
import { graphql } from '../graph/graphql.ts';
import { PathLink } from '../ui/detail-page.tsx';
import { Id } from '../ui/facts.tsx';
import { humanize } from '../ui/format.ts';
import { choice, days, idFilter } from '../ui/list-definition.ts';
import { listPage } from '../ui/list-page.tsx';
import { ObjectLink } from '../ui/object-link.tsx';
import { Payload } from '../ui/payload.tsx';
import { may, usePerson } from '../ui/person.tsx';
import { Outcome } from '../ui/status.tsx';
import { Time } from '../ui/time.tsx';

const document = graphql(`
  query Audit($page: PageNumber, $pageSize: PageSize, $filters: AuditFilters) {
    list: auditLog(page: $page, pageSize: $pageSize, filters: $filters) {
      total
      totalPages
      items { id sequence at action outcome actorKind actorUserId actorEmail target reason refusal requestId ip before after }
    }
  }
`);

const exportDocument = graphql(`
  mutation ExportAuditLog($filters: AuditFilters!) {
    begun: createExport(list: { auditLog: $filters }) { url rows }
  }
`);

interface ActorFacts {
  actorKind: string;
  actorUserId: string;
  actorEmail: string | null;
  ip: string | null;
}

/** What people of a partner see in place of the identifier of internal staff. */
const hiddenActor = 'internal-staff';

/** Who did it, with the way to all that they did, and from which address. */
function Actor({ of: { actorKind, actorUserId, actorEmail, ip } }: { of: ActorFacts }) {
  // The end of the identifier of a key tells it from others.
  const key = actorUserId.startsWith('ak_') ? ` …${actorUserId.slice(-6)}` : '';
  const isHidden = actorUserId === hiddenActor;
  const name = isHidden ? 'Internal staff' : (actorEmail ?? humanize(actorKind) + key);
  return (
    <>
      {isHidden ? (
        name
      ) : (
        <PathLink
          {...(actorKind === 'user' ? { path: `/users/${actorUserId}` } : { path: '/audit', search: { actorUserId } })}
        >
          <span className="long">{name}</span>
        </PathLink>
      )}
      {ip !== null && (
        <Text size="xs" c="dimmed">
          {ip}
        </Text>
      )}
    </>
  );
}

export const Audit = listPage({
  title: 'Audit log',
  about: 'Changes and refusals in both modes, in a hash chain.',
  right: 'auditor',
  document,
  exportDocument,
  exportRight: 'hub',
  actions: () => <AuditChain />,
  columns: [
    { name: 'Time', cell: ({ at }) => <Time at={at} /> },
    { name: 'Action', cell: ({ action }) => action },
    {
      name: 'Outcome',
      cell: (row) => <Outcome of={row} />,
    },
    { name: 'Actor', cell: (row) => <Actor of={row} /> },
    { name: 'Target', cell: ({ target }) => <ObjectLink id={target} /> },
    {
      name: 'Change',
      cell: ({ action, requestId, before, after }) => <Payload title={action} value={{ requestId, before, after }} />,
    },
  ],
  filters: [
    choice('outcome', 'Outcome', enums.AuditOutcome),
    idFilter('action', 'Action', 'refundPayment', true),
    idFilter('actorEmail', 'Email', 'exact'),
    idFilter('actorUserId', 'User or key', 'user_… or ak_…'),
    idFilter('target', 'Target', 'any ID'),
    idFilter('requestId', 'Request', 'req_…'),
    ...days('at', 'Time'),
  ],
  keyOf: ({ id }) => id,
  noun: 'entries',
  comes: 'Changes and refusals appear here.',
});

const headDocument = graphql(`
  query AuditHead {
    auditLog(pageSize: 1) { head { anchor sequence lastVerification { at ok rows problem } } }
  }
`);

/** The head of the audit log, to be kept elsewhere, and when the log was last verified. */
function AuditChain() {
  const { data } = useQuery({
    queryKey: ['audit head'],
    queryFn: ({ signal }) => ask(headDocument, {}, { signal }),
    enabled: may(usePerson(), 'hub'),
  });
  const head = data?.auditLog?.head;
  if (!head) return null;
  const { lastVerification: verified } = head;
  return (
    <Text size="sm" component="div">
      Head <Id shown={`${head.anchor.slice(0, 16)}…`}>{head.anchor}</Id>
      {verified ? (
        <>
          {' '}
          {verified.ok ? 'Verified' : `Broken: ${verified.problem ?? 'run platform verify audit'}`}{' '}
          <Time at={verified.at} />
        </>
      ) : (
        ' Not verified yet: run platform verify audit.'
      )}
    </Text>
  );
}
