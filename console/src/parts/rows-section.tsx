import type { ReactNode } from 'react';
import { DataTable, type DataTableProps } from './data-table.tsx';
import { Section } from './facts.tsx';

interface RowsSectionProps<Row> extends Omit<DataTableProps<Row>, 'label' | 'rows' | 'empty'> {
  title: string;
  rows: readonly Row[] | null | undefined;
  empty: string;
  aside?: ReactNode;
}

/** A card with the rows of a list that belongs to an object. */
export function RowsSection<Row>({ title, rows, empty, aside, ...table }: RowsSectionProps<Row>) {
  return (
    <Section title={title} aside={aside}>
      <DataTable label={title} rows={rows ?? []} empty={empty} {...table} />
    </Section>
  );
}
