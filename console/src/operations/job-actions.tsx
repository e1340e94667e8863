import { Modal, UnstyledButton } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { graphql } from '../graph/graphql.ts';
import { Action } from '../ui/action.tsx';
import { DataTable } from '../ui/data-table.tsx';
import { refusalReason, usePerson } from '../ui/person.tsx';
import { Time } from '../ui/time.tsx';

const run = graphql(`
  mutation RunJob($name: Name!, $reason: Name!) {
    runJob(name: $name, reason: $reason) {
      isRunning
      recentRuns { error durationMs }
    }
  }
`);

interface EndedRun {
  startedAt: string;
  durationMs: number;
  error: string | null;
}

/** Begins a run of a job before its time. */
export function RunJob({ job: { name, isRunning } }: { job: { name: string; isRunning: boolean } }) {
  const refused = refusalReason(usePerson(), 'hub');
  return (
    <Action
      name="Run now"
      of={name}
      document={run}
      refused={refused ?? (isRunning ? 'Already running.' : undefined)}
      consequence={`${name} runs now, in both modes. Items leased by another process are skipped.`}
      variables={(reason) => ({ name, reason })}
      outcome={({ runJob: job }) => {
        const [last] = job?.recentRuns ?? [];
        if (!job || job.isRunning || !last) return 'continues in the background';
        return last.error === null ? `done in ${last.durationMs} ms` : `failed: ${last.error}`;
      }}
    />
  );
}

/** How long the latest runs took, behind the duration of the last one. */
export function RecentRuns({ name, runs }: { name: string; runs: readonly EndedRun[] }) {
  const [isOpen, dialog] = useDisclosure();
  const [last] = runs;
  if (!last) return null;
  return (
    <>
      <UnstyledButton
        className="row-link figures"
        fz="sm"
        onClick={dialog.open}
        aria-label={`${last.durationMs} ms: latest runs of ${name}`}
      >
        {last.durationMs} ms
      </UnstyledButton>
      <Modal opened={isOpen} onClose={dialog.close} title={`Latest runs of ${name}`}>
        <DataTable
          label={`Latest runs of ${name}`}
          rows={runs}
          keyOf={({ startedAt }) => startedAt}
          columns={[
            { name: 'Started', cell: ({ startedAt }) => <Time at={startedAt} /> },
            { name: 'Duration', right: true, cell: ({ durationMs }) => `${durationMs} ms` },
            { name: 'Error', cell: ({ error }) => <span className="long">{error ?? 'None'}</span> },
          ]}
        />
      </Modal>
    </>
  );
}
