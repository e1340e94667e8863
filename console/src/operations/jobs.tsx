import { Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { ask } from '../graph/ask.ts';
import { graphql } from '../graph/graphql.ts';
import { DataTable } from '../ui/data-table.tsx';
import { Ready } from '../ui/detail-page.tsx';
import { useMode } from '../ui/mode.ts';
import { usePageTitle } from '../ui/page-title.ts';
import { Status } from '../ui/status.tsx';
import { Time } from '../ui/time.tsx';
import { RecentRuns, RunJob } from './job-actions.tsx';

const document = graphql(`
  query Jobs($mode: Mode) {
    jobs(mode: $mode) {
      name backlog everyMs runs failures isRunning lastStartedAt lastError lastErrorAt
      recentRuns { startedAt durationMs error }
    }
  }
`);

/** The jobs of the process that answers. */
export function Jobs() {
  const mode = useMode();
  usePageTitle('Jobs');
  const query = useQuery({
    queryKey: ['jobs', mode],
    queryFn: ({ signal }) => ask(document, { mode }, { signal }),
    refetchInterval: 5_000,
  });
  return (
    <Stack gap="xs">
      <Title order={1} size="h2">
        Jobs
      </Title>
      <Text c="dimmed">
        Background jobs of this server, with the items that are due in this mode. The page refreshes automatically.
      </Text>
      <Ready query={query}>
        {({ jobs }) => (
          <div className="sheet">
            <DataTable
              label="Jobs"
              rows={jobs ?? []}
              keyOf={({ name }) => name}
              columns={[
                { name: 'Job', cell: ({ name }) => name },
                {
                  name: 'Status',
                  cell: ({ lastError, isRunning }) =>
                    lastError ? <Status of="failed" /> : <Status of={isRunning ? 'running' : 'idle'} />,
                },
                { name: 'Due', right: true, cell: ({ backlog }) => backlog ?? '' },
                { name: 'Runs', right: true, cell: ({ runs }) => runs.toLocaleString() },
                { name: 'Failures', right: true, cell: ({ failures }) => failures },
                { name: 'Last run', cell: ({ lastStartedAt }) => <Time at={lastStartedAt} /> },
                {
                  name: 'Duration',
                  right: true,
                  cell: ({ name, recentRuns }) => <RecentRuns name={name} runs={recentRuns} />,
                },
                {
                  name: 'Last error',
                  cell: ({ lastError, lastErrorAt }) =>
                    lastError && (
                      <>
                        {lastError} <Time at={lastErrorAt} />
                      </>
                    ),
                },
                { name: 'Action', cell: (job) => <RunJob job={job} /> },
              ]}
            />
          </div>
        )}
      </Ready>
    </Stack>
  );
}
