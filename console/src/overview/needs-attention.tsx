import { Card, Group, SimpleGrid, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Fragment } from 'react';
import { ask } from '../graph/ask.ts';
import { graphql } from '../graph/graphql.ts';
import { PathLink, Ready } from '../ui/detail-page.tsx';
import { totalText } from '../ui/format.ts';
import { type Mode, useMode } from '../ui/mode.ts';
import { may, usePerson } from '../ui/person.tsx';
import type { Concern } from './concern.ts';
import { useLedgerChecks } from './ledger-checks.ts';

const forReaders = graphql(`
  query Waiting($mode: Mode!) {
    kyb: kybQueue(mode: $mode, pageSize: 1) { total }
    disputes: disputes(mode: $mode, pageSize: 1, filters: { status: [needs_response] }) { total }
    pending: payments(mode: $mode, pageSize: 1, filters: { status: [pending] }) { total }
    unknown: payments(mode: $mode, pageSize: 1, filters: { isProcessing: true }) { total }
    pastDue: subscriptions(mode: $mode, pageSize: 1, filters: { status: [past_due] }) { total }
    deferred: deferredCharges(mode: $mode, pageSize: 1) { total }
    keys: partnerKeyRequests(mode: $mode, pageSize: 1, filters: { status: [pending] }) { total }
    refunds: refundRequests(mode: $mode, pageSize: 1, filters: { status: [pending] }) { total }
    dead: webhookDeliveries(mode: $mode, pageSize: 1, filters: { status: [dead] }) { total }
    failing: webhookEndpoints(mode: $mode, pageSize: 1, filters: { isFailing: true }) { total }
  }
`);
const forStaff = graphql(`
  query WaitingForStaff($mode: Mode!) {
    alerts: cardTestingAlerts(mode: $mode, pageSize: 1) { total }
    jobs(mode: $mode) { name lastError }
  }
`);

/** The most urgent first: what loses money or history, then what people wait for, then what runs late. */
const byUrgency = [
  'Ledger',
  'Audit log',
  'Card testing alerts',
  'Disputes needing response',
  'Unknown outcomes',
  'Failing jobs',
  'Refund approvals',
  'Key approvals',
  'KYB reviews',
  'Failing endpoints',
  'Dead deliveries',
  'Past-due subscriptions',
  'Deferred charges',
  'Pending payments',
] as const;
type Unread = Parameters<typeof Ready<unknown>>[0]['query'];
const urgencyOf = ({ name }: Concern): number => (byUrgency as readonly string[]).indexOf(name);

/** What waits, the most urgent first, and one line with the names of what does not. */
export function NeedsAttention() {
  const mode = useMode();
  const isStaff = may(usePerson(), 'platformStaff');
  const readers = useWaiting('readers', mode, (signal) => ask(forReaders, { mode }, { signal }));
  const staff = useWaiting('staff', mode, (signal) => ask(forStaff, { mode }, { signal }), isStaff);
  const checks = useLedgerChecks();
  const concerns: Concern[] = [...checks.concerns];
  if (readers.data) {
    const { kyb, disputes, pending, unknown, pastDue, deferred, keys, refunds, dead, failing } = readers.data;
    concerns.push(
      counted('KYB reviews', kyb?.total, '/kyb'),
      counted('Disputes needing response', disputes?.total, '/disputes', {
        status: 'needs_response',
        sort: 'evidenceDueAt:asc',
      }),
      counted('Pending payments', pending?.total, '/payments', { status: 'pending' }),
      counted('Unknown outcomes', unknown?.total, '/payments', { isProcessing: 'yes' }),
      counted('Past-due subscriptions', pastDue?.total, '/subscriptions', { status: 'past_due' }),
      counted('Deferred charges', deferred?.total, '/deferred-charges'),
      counted('Refund approvals', refunds?.total, '/refund-requests', { status: 'pending' }),
      counted('Key approvals', keys?.total, '/key-requests', { status: 'pending' }),
      counted('Dead deliveries', dead?.total, '/deliveries', { status: 'dead' }),
      counted('Failing endpoints', failing?.total, '/endpoints', { isFailing: 'yes' }),
    );
  }
  if (staff.data) {
    const { alerts, jobs } = staff.data;
    concerns.push(
      counted('Card testing alerts', alerts?.total, '/card-testing-alerts'),
      counted('Failing jobs', jobs?.filter((job) => job.lastError).length, '/jobs'),
    );
  }
  const sorted = concerns.toSorted(
    (one, other) => Number(other.isWaiting) - Number(one.isWaiting) || urgencyOf(one) - urgencyOf(other),
  );
  const queries: readonly Unread[] = [readers, ...(isStaff ? [staff] : []), ...checks.queries];
  const unread = queries.find(({ data }) => data === undefined);
  return (
    <>
      <Title order={2} size="h4">
        Needs attention
      </Title>
      {/* One of them, so that one outage is one message. */}
      {unread && <Ready query={unread}>{() => null}</Ready>}
      <Tiles of={sorted.filter(({ text }) => text !== null)} />
      <AllClear of={sorted.filter(({ text }) => text === null)} />
    </>
  );
}

/** `count` is undefined if it could not be read, and null beyond what the platform counts. */
function counted(
  name: (typeof byUrgency)[number],
  count: number | null | undefined,
  path: string,
  search = {},
): Concern {
  if (count === undefined) return { name, path, search, text: '–', isWaiting: false };
  return { name, path, search, text: count === 0 ? null : totalText(count), isWaiting: count !== 0 };
}

function Tiles({ of }: { of: readonly Concern[] }) {
  if (of.length === 0) return null;
  return (
    <SimpleGrid cols={{ base: 2, sm: 3, lg: 5 }} spacing="xs">
      {of.map(({ name, path, search = {}, text, isWaiting, note }) => (
        <Card key={name} withBorder px="sm" py={6} className="tile" data-waiting={isWaiting || undefined}>
          <Group gap="xs" wrap="nowrap">
            <Text fw={700} className="figures">
              {text}
            </Text>
            <PathLink path={path} search={search}>
              {name}
            </PathLink>
          </Group>
          {note !== undefined && (
            <Text size="xs" c="dimmed">
              {note}
            </Text>
          )}
        </Card>
      ))}
    </SimpleGrid>
  );
}

function AllClear({ of }: { of: readonly Concern[] }) {
  if (of.length === 0) return null;
  return (
    <Text size="sm" c="dimmed" component="section" aria-label="All clear">
      All clear:{' '}
      {of.map(({ name, path, search = {}, note }, index) => (
        <Fragment key={name}>
          {index > 0 && ', '}
          <PathLink path={path} search={search}>
            {name}
          </PathLink>
          {note !== undefined && ` (${note})`}
        </Fragment>
      ))}
      .
    </Text>
  );
}

function useWaiting<Data>(name: string, mode: Mode, read: (signal: AbortSignal) => Promise<Data>, enabled = true) {
  return useQuery({
    queryKey: ['waiting', name, mode],
    queryFn: ({ signal }) => read(signal),
    enabled,
    refetchInterval: 30_000,
  });
}
