import { useQuery } from '@tanstack/react-query';
import { useLocation } from '@tanstack/react-router';
import { ask } from '../graph/ask.ts';
import { Ready } from './detail-page.tsx';
import { type ListDefinition, listVariables, offeredColumns, type Search } from './list-definition.ts';
import { useMode } from './mode.ts';
import { usePerson } from './person.tsx';
import { AllRows, RowsSection } from './rows-section.tsx';

interface ListRowsProps<Row, Variables> {
  of: ListDefinition<Row, Variables>;
  /** The path of the list. */
  path: string;
  /** The filters of the list that leave the rows of the object. */
  filters: Search;
  /** The columns that say the same in every row of the object. */
  without: readonly string[];
}

/** The first rows of a list that belong to an object, on the page of the object. */
export function ListRows<Row, Variables>({ of: list, path, filters, without }: ListRowsProps<Row, Variables>) {
  const mode = useMode();
  const person = usePerson();
  const { pathname } = useLocation();
  const variables = listVariables(list, mode, filters, person);
  const query = useQuery({
    queryKey: [list.title, variables],
    queryFn: ({ signal }) => ask(list.document, variables, { signal }),
  });
  /** A row does not open the page on which it stands. */
  const pathOf = (row: Row): string | undefined => {
    const path = list.pathOf?.(row);
    return pathname === `/${mode}${path}` ? undefined : path;
  };
  return (
    <Ready query={query}>
      {({ list: found }) => (
        <RowsSection
          title={list.title}
          columns={offeredColumns(list.columns, filters, person).filter(({ name }) => !without.includes(name))}
          rows={found?.items}
          keyOf={list.keyOf}
          pathOf={pathOf}
          empty={`No ${list.noun} yet. ${list.comes}`}
          aside={<AllRows path={path} filters={filters} />}
        />
      )}
    </Ready>
  );
}
