import type { ReactNode } from 'react';
import { DataTable, type DataTableProps } from './data-table.tsx';
import { PathLink } from './detail-page.tsx';
import { Section } from './facts.tsx';
import type { Search } from './list-definition.ts';

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

/** Leads to the list of which a section shows the latest rows. */
export function AllRows({ path, filters }: { path: string; filters: Search }) {
  return (
    <PathLink path={path} search={filters}>
      View all
    </PathLink>
  );
}
