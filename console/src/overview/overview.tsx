import { Card, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ask } from '../graph/ask.ts';
import { graphql } from '../graph/graphql.ts';
import { PathLink, Ready } from '../ui/detail-page.tsx';
import { totalText } from '../ui/format.ts';
import { type Mode, useMode } from '../ui/mode.ts';
import { usePageTitle } from '../ui/page-title.ts';
import { may, usePerson } from '../ui/person.tsx';
import { Figures } from './figures.tsx';
import { LedgerCheckTiles } from './ledger-checks.tsx';

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

/** What needs attention, and where it is. */
export function Overview() {
  const mode = useMode();
  const person = usePerson();
  usePageTitle('Overview');
  const isStaff = may(person, 'platformStaff');
  const readers = useWaiting('readers', mode, (signal) => ask(forReaders, { mode }, { signal }));
  const staff = useWaiting('staff', mode, (signal) => ask(forStaff, { mode }, { signal }), isStaff);
  return (
    <Stack>
      <Title order={1} size="h2">
        Overview
      </Title>
      <Title order={2} size="h4">
        Needs attention
      </Title>
      <SimpleGrid cols={{ base: 2, sm: 3, lg: 5 }} spacing="xs">
        <Ready query={readers}>
          {({ kyb, disputes, pending, unknown, pastDue, deferred, keys, refunds, dead, failing }) => (
            <>
              <Tile name="KYB reviews" count={kyb?.total} path="/kyb" />
              <Tile
                name="Disputes needing response"
                count={disputes?.total}
                path="/disputes"
                search={{ status: 'needs_response', sort: 'evidenceDueAt:asc' }}
              />
              <Tile name="Pending payments" count={pending?.total} path="/payments" search={{ status: 'pending' }} />
              <Tile name="Unknown outcomes" count={unknown?.total} path="/payments" search={{ isProcessing: 'yes' }} />
              <Tile
                name="Past-due subscriptions"
                count={pastDue?.total}
                path="/subscriptions"
                search={{ status: 'past_due' }}
              />
              <Tile name="Deferred charges" count={deferred?.total} path="/deferred-charges" />
              <Tile
                name="Refund approvals"
                count={refunds?.total}
                path="/refund-requests"
                search={{ status: 'pending' }}
              />
              <Tile name="Key approvals" count={keys?.total} path="/key-requests" search={{ status: 'pending' }} />
              <Tile name="Dead deliveries" count={dead?.total} path="/deliveries" search={{ status: 'dead' }} />
              <Tile name="Failing endpoints" count={failing?.total} path="/endpoints" search={{ isFailing: 'yes' }} />
            </>
          )}
        </Ready>
        {isStaff && (
          <Ready query={staff}>
            {({ alerts, jobs }) => (
              <>
                <Tile name="Card testing alerts" count={alerts?.total} path="/card-testing-alerts" />
                <Tile name="Failing jobs" count={jobs?.filter((job) => job.lastError).length} path="/jobs" />
              </>
            )}
          </Ready>
        )}
        {isStaff && <LedgerCheckTiles />}
      </SimpleGrid>
      <Figures />
    </Stack>
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

interface TileProps {
  name: string;
  count: number | null | undefined;
  path: string;
  search?: Record<string, string>;
}

/** A count that leads to its rows. What waits stands out from what does not. */
function Tile({ name, count, path, search = {} }: TileProps): ReactNode {
  return (
    <Card withBorder padding="sm" className="tile" data-waiting={(count !== undefined && count !== 0) || undefined}>
      <Text fz={24} fw={700} lh={1.2} className="figures">
        {count === undefined ? '–' : totalText(count)}
      </Text>
      <PathLink path={path} search={search}>
        {name}
      </PathLink>
    </Card>
  );
}
