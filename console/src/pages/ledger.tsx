import { Alert, Button, Group, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { ask } from '../graph/ask.ts';
import { graphql } from '../graph/graphql.ts';
import { DataTable } from '../parts/data-table.tsx';
import { PathLink } from '../parts/detail-page.tsx';
import { Failed, Loading } from '../parts/states.tsx';
import { useMode } from '../shell/mode.ts';

const document = graphql(`
  query ProveLedger($mode: Mode) {
    ledgerProof(mode: $mode) {
      ok payments charges postings unsettled differenceCount
      differences { about message }
    }
  }
`);

/** Compares the ledger with the payments and with the processors' own records, now. */
export function Ledger() {
  const mode = useMode();
  const proof = useQuery({
    queryKey: ['ledger', mode],
    queryFn: ({ signal }) => ask(document, { mode }, { signal }),
    // It reads every posting, so it runs when it is asked for.
    enabled: false,
  });
  const result = proof.data?.ledgerProof;
  return (
    <Stack gap="sm">
      <Group justify="space-between">
        <Title order={1} size="h2">
          Ledger
        </Title>
        <Button onClick={() => void proof.refetch()} loading={proof.isFetching}>
          Prove the books now
        </Button>
      </Group>
      <Text c="dimmed">
        Every movement of money is posted twice. The proof compares postings, payments and the processor&apos;s charges.
      </Text>
      {proof.error && <Failed error={proof.error} retry={() => void proof.refetch()} />}
      {proof.isFetching && <Loading rows={3} />}
      {result && (
        <Alert color={result.ok ? 'green' : 'red'} title={result.ok ? 'All of it agrees' : 'There are differences'}>
          {result.postings.toLocaleString()} postings, {result.payments.toLocaleString()} payments,{' '}
          {result.charges.toLocaleString()} charges of processors, {result.unsettled.toLocaleString()} unsettled,{' '}
          {result.differenceCount.toLocaleString()} differences.
        </Alert>
      )}
      {result && result.differences.length > 0 && (
        <DataTable
          label="Differences"
          rows={result.differences}
          keyOf={({ about, message }) => about + message}
          columns={[
            {
              name: 'About',
              cell: ({ about }) =>
                about.startsWith('pay_') ? <PathLink path={`/payments/${about}`}>{about}</PathLink> : about,
            },
            { name: 'Difference', cell: ({ message }) => message },
          ]}
        />
      )}
    </Stack>
  );
}
