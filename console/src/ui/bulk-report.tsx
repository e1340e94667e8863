import { Box, Button, Group, Table, Text } from '@mantine/core';
import { csvRow } from '../../../src/operators/exports/csv.ts';
import type { BulkItem, BulkResult } from './bulk-run.ts';
import { save } from './download.ts';
import { Status } from './status.tsx';

/** The rows that are shown. The saved report has all. */
const shownMax = 200;

const results: readonly BulkResult[] = ['done', 'failed', 'skipped', 'unknown'];

interface BulkReportProps<Row> {
  items: readonly BulkItem<Row>[];
  nameOf(row: Row): string;
}

/** How many rows were done, and why the others were not. */
export function BulkReport<Row>({ items, nameOf }: BulkReportProps<Row>) {
  const others = items.filter(({ result }) => result !== 'done');
  const counts = results
    .map((result) => [result, items.filter((item) => item.result === result).length] as const)
    .filter(([, count]) => count > 0)
    .map(([result, count]) => `${count.toLocaleString()} ${result}`);
  const saveReport = (): void => {
    const lines = items.map(({ row, result, text }) => csvRow([nameOf(row), result, text]));
    const content = new Blob([csvRow(['Object', 'Result', 'Reason']), ...lines], { type: 'text/csv' });
    save({ name: 'report.csv', content });
  };
  return (
    <>
      <Group justify="space-between">
        <Text role="status">{counts.join(', ')}.</Text>
        <Button variant="default" size="xs" onClick={saveReport}>
          Save report
        </Button>
      </Group>
      {others.length > 0 && (
        <Box mah={360} className="scrolls" tabIndex={0} role="region" aria-label="Rows not done">
          <Table aria-label="Rows not done">
            <Table.Tbody>
              {others.slice(0, shownMax).map(({ row, result, text, idempotencyKey }) => (
                <Table.Tr key={idempotencyKey}>
                  <Table.Td>{nameOf(row)}</Table.Td>
                  <Table.Td>
                    <Status of={result} />
                  </Table.Td>
                  <Table.Td>{text}</Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Box>
      )}
      {others.length > shownMax && (
        <Text size="sm" c="dimmed">
          {(others.length - shownMax).toLocaleString()} more are in the saved report.
        </Text>
      )}
    </>
  );
}
