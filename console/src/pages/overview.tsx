import { Card, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ask } from '../graph/ask.ts';
import { graphql } from '../graph/graphql.ts';
import { PathLink, Ready } from '../parts/detail-page.tsx';
import { type Mode, useMode } from '../shell/mode.ts';
import { may, usePerson } from '../shell/person.tsx';

const forReaders = graphql(`
  query Waiting($mode: Mode!) {
    kyb: operatorKybQueue(mode: $mode, pageSize: 1) { total }
    disputes: operatorDisputes(mode: $mode, pageSize: 1, filters: { status: [needs_response] }) { total }
    pending: operatorPayments(mode: $mode, pageSize: 1, filters: { status: [pending] }) { total }
    pastDue: operatorSubscriptions(mode: $mode, pageSize: 1, filters: { status: [past_due] }) { total }
    withheld: operatorWithheldCharges(mode: $mode, pageSize: 1) { total }
  }
`);
const forStaff = graphql(`
  query WaitingForStaff($mode: Mode!) {
    dead: operatorDeliveries(mode: $mode, pageSize: 1, filters: { status: [dead] }) { total }
    alarms: operatorEnumerationAlarms(mode: $mode, pageSize: 1) { total }
    jobs: operatorJobs(mode: $mode) { name lastError }
  }
`);

/** What waits for somebody, and where it is. */
export function Overview() {
  const mode = useMode();
  const isStaff = may(usePerson(), 'platformStaff');
  const readers = useWaiting('readers', mode, (signal) => ask(forReaders, { mode }, { signal }));
  const staff = useWaiting('staff', mode, (signal) => ask(forStaff, { mode }, { signal }), isStaff);
  return (
    <Stack>
      <Title order={1} size="h2">
        What waits
      </Title>
      <SimpleGrid cols={{ base: 1, xs: 2, md: 4 }}>
        <Ready query={readers}>
          {({ kyb, disputes, pending, pastDue, withheld }) => (
            <>
              <Tile name="KYB to review" count={kyb?.total} path="/kyb" />
              <Tile
                name="Disputes to answer"
                count={disputes?.total}
                path="/disputes"
                search={{ status: 'needs_response' }}
              />
              <Tile name="Payments not final" count={pending?.total} path="/payments" search={{ status: 'pending' }} />
              <Tile
                name="Subscriptions past due"
                count={pastDue?.total}
                path="/subscriptions"
                search={{ status: 'past_due' }}
              />
              <Tile name="Withheld charges" count={withheld?.total} path="/withheld-charges" />
            </>
          )}
        </Ready>
        {isStaff && (
          <Ready query={staff}>
            {({ dead, alarms, jobs }) => (
              <>
                <Tile name="Dead deliveries" count={dead?.total} path="/deliveries" search={{ status: 'dead' }} />
                <Tile name="Card testing alarms" count={alarms?.total} path="/alarms" />
                <Tile name="Jobs with an error" count={jobs?.filter((job) => job.lastError).length} path="/jobs" />
              </>
            )}
          </Ready>
        )}
      </SimpleGrid>
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

function Tile({ name, count, path, search = {} }: TileProps): ReactNode {
  return (
    <Card withBorder padding="md">
      <Text size="sm" c="dimmed">
        {name}
      </Text>
      <Text fz={28} fw={700} className="figures">
        {count ?? '–'}
      </Text>
      <PathLink path={path} search={search}>
        show
      </PathLink>
    </Card>
  );
}
