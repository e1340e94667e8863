import { Alert, Button, Group, Stack, Text, Title } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { ask } from '../graph/ask.ts';
import { graphql, type ResultOf } from '../graph/graphql.ts';
import { DataTable } from '../ui/data-table.tsx';
import { Ready } from '../ui/detail-page.tsx';
import { Section } from '../ui/facts.tsx';
import { Empty, Failed, Loading } from '../ui/loading-empty-failed.tsx';
import { useMode } from '../ui/mode.ts';
import { ObjectLink } from '../ui/object-link.tsx';
import { usePageTitle } from '../ui/page-title.ts';
import { Time } from '../ui/time.tsx';

const Check = graphql(`
  fragment Check on LedgerCheck { at differenceCount differences { about message paymentId } }
`);
const document = graphql(
  `
  query LedgerCheck($mode: Mode!) {
    ledgerCheck(mode: $mode) { ...Check }
  }
`,
  [Check],
);
const proofDocument = graphql(`
  query ProveLedger($mode: Mode) {
    ledgerVerification(mode: $mode) { ok payments charges postings unresolved differenceCount }
  }
`);

/** The latest verification of the ledger, and a new one: it compares the ledger with payments and processors' records. */
export function Ledger() {
  const mode = useMode();
  usePageTitle('Ledger');
  const client = useQueryClient();
  const checks = useQuery({
    queryKey: ['ledger check', mode],
    queryFn: ({ signal }) => ask(document, { mode }, { signal }),
  });
  const proof = useQuery({
    queryKey: ['ledger', mode],
    queryFn: async ({ signal }) => {
      const { ledgerVerification } = await ask(proofDocument, { mode }, { signal });
      void client.invalidateQueries({ queryKey: ['ledger check', mode] });
      return ledgerVerification;
    },
    // It reads every posting, so it runs when it is asked for.
    enabled: false,
  });
  const result = proof.data;
  return (
    <Stack gap="sm">
      <Group justify="space-between">
        <Title order={1} size="h2">
          Ledger
        </Title>
        <Button onClick={() => void proof.refetch()} loading={proof.isFetching}>
          Verify ledger
        </Button>
      </Group>
      <Text c="dimmed">
        Each journal entry has postings that sum to zero. A verification compares postings, payments and the
        processor&apos;s charges.
      </Text>
      {proof.error && <Failed error={proof.error} retry={() => void proof.refetch()} />}
      {proof.isFetching && <Loading rows={3} />}
      {result && (
        <Alert color={result.ok ? 'green' : 'red'} title={result.ok ? 'No differences' : 'Differences found'}>
          {result.postings.toLocaleString()} postings, {result.payments.toLocaleString()} payments,{' '}
          {result.charges.toLocaleString()} charges of processors, {result.unresolved.toLocaleString()} unknown
          outcomes, {result.differenceCount.toLocaleString()} differences.
        </Alert>
      )}
      <Ready query={checks}>
        {({ ledgerCheck }) => <CheckSection title="Latest verification" check={ledgerCheck} />}
      </Ready>
    </Stack>
  );
}

function CheckSection({ title, check }: { title: string; check: ResultOf<typeof Check> | null | undefined }) {
  if (!check)
    return (
      <Section title={title}>
        <Empty>Not verified yet.</Empty>
      </Section>
    );
  const { at, differenceCount: count, differences } = check;
  return (
    <Section title={title} aside={<Time at={at} far />}>
      {count === 0 && <Text size="sm">No differences.</Text>}
      {count > differences.length && (
        <Text size="sm" c="dimmed">
          The first {differences.length} of {count.toLocaleString()} differences.
        </Text>
      )}
      {count > 0 && (
        <DataTable
          label={title}
          rows={differences}
          keyOf={({ about, message }) => about + message}
          columns={[
            { name: 'Payment', cell: ({ paymentId }) => <ObjectLink id={paymentId} /> },
            { name: 'Subject', cell: ({ about }) => about },
            { name: 'Difference', cell: ({ message }) => message },
          ]}
        />
      )}
    </Section>
  );
}
