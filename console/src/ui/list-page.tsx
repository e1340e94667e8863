import { Alert, Anchor, Button, Group, Pagination, Stack, Text, Title } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { lazy, Suspense, useEffect } from 'react';
import { ask } from '../graph/ask.ts';
import { ColumnsMenu, chosenColumns } from './chosen-columns.tsx';
import { DataTable } from './data-table.tsx';
import { ExportButton } from './export-button.tsx';
import { FilterBar } from './filter-bar.tsx';
import { pagedRowsMax, totalText } from './format.ts';
import {
  changed,
  endsToday,
  type ListDefinition,
  listVariables,
  offeredColumns,
  pageSize,
  partnerFilter,
  type Search,
  unknownKeys,
  withLater,
} from './list-definition.ts';
import { useListView } from './list-view.ts';
import { Failed, Loading } from './loading-empty-failed.tsx';
import { useMode } from './mode.ts';
import { useNewRows } from './new-rows.ts';
import { usePageTitle } from './page-title.ts';
import { may, usePerson } from './person.tsx';
import { SavedViews } from './saved-views.tsx';
import { useSelection } from './selection.ts';
import { focusRow, selectRow, useShortcut } from './shortcuts.ts';

/** Loaded with the first row that is selected. */
const SelectionBar = lazy(async () => ({
  default: (await import('./selection-bar.tsx')).SelectionBar<unknown, never>,
}));

/** Makes the page of a list from its document, its columns and its filters. The URL contains the whole view. */
export function listPage<Row, Variables>(definition: ListDefinition<Row, Variables>) {
  return function ListPage() {
    return <List definition={definition} />;
  };
}

function List<Row, Variables>({ definition }: { definition: ListDefinition<Row, Variables> }) {
  const mode = useMode();
  const search: Search = useSearch({ strict: false });
  const navigate = useNavigate();
  useListView(search);
  usePageTitle(definition.title);
  const person = usePerson();
  const filters = [
    ...(definition.filters ?? []),
    ...(definition.byPartner && may(person, 'platformStaff') ? [partnerFilter] : []),
  ];
  const variables = listVariables(definition, mode, search, person);
  const list = useQuery({
    queryKey: [definition.title, variables],
    queryFn: ({ signal }) => ask(definition.document, variables, { signal }),
    placeholderData: keepPreviousData,
  });
  const newRows = useNewRows(definition, variables, {
    rows: list.data?.list?.items ?? [],
    isNewest: list.isSuccess && !definition.isWhole && !search['sort'] && (search['page'] ?? '1') === '1',
  });
  useShortcut('j', () => focusRow(1));
  useShortcut('k', () => focusRow(-1));
  useShortcut('x', selectRow);
  const columns = offeredColumns(definition.columns, search, person);
  const left = unknownKeys(filters, search);
  const bulk = (definition.bulk ?? []).filter(({ right }) => may(person, right));
  const { page: _page, ...view } = search;
  const selection = useSelection(definition.keyOf, JSON.stringify([mode, view]));
  const isFiltered = filters.some(({ key }) => search[key]);
  const show = (changes: Search): void => void navigate({ to: '.', search: changed(search, changes) });
  const page = list.data?.list;
  const at = Number(search['page'] ?? 1);
  const pages = page ? (definition.isWhole ? 1 : Math.max(1, pagesOf(page))) : at;
  // The page that was shown may have lost its rows meanwhile. How many pages there are is not known from earlier rows.
  const isPastTheEnd = at > pages && !list.isPlaceholderData;
  useEffect(() => {
    if (isPastTheEnd) void navigate({ to: '.', search: { ...search, page: String(pages) }, replace: true });
  }, [isPastTheEnd, pages, search, navigate]);
  return (
    <Stack gap="xs">
      <Group justify="space-between">
        <Title order={1} size="h2">
          {definition.title}
        </Title>
        <Group gap="xs">
          {newRows > 0 && (
            <Button size="xs" variant="light" onClick={() => void list.refetch()}>
              {newRows === pageSize ? `${pageSize} or more` : newRows} new
            </Button>
          )}
          {definition.actions?.()}
          <SavedViews search={search} onOpen={(opened) => void navigate({ to: '.', search: opened })} />
          <ColumnsMenu names={columns.slice(1).map(({ name }) => name)} search={search} onChange={show} />
          {definition.exportDocument && may(person, definition.exportRight ?? 'directory') && (
            <ExportButton
              key={mode}
              document={definition.exportDocument}
              variables={variables}
              total={page?.total ?? undefined}
            />
          )}
        </Group>
      </Group>
      <Text c="dimmed" size="sm">
        {definition.about}
        {endsToday(definition, mode, search) && (
          <>
            {' '}
            Rows dated after today by a test clock are hidden.{' '}
            <Anchor component="button" type="button" onClick={() => show({ ...withLater, page: '' })}>
              Show them
            </Anchor>
          </>
        )}
      </Text>
      <FilterBar
        filters={filters}
        search={search}
        onChange={(changes) => show({ ...changes, page: '' })}
        onClear={() => show({ ...Object.fromEntries(filters.map(({ key }) => [key, ''])), page: '' })}
      />
      {left.length > 0 && (
        <Alert color="yellow" role="note">
          {left.length === 1 ? 'A filter of this link does' : 'Filters of this link do'} not exist and{' '}
          {left.length === 1 ? 'is' : 'are'} ignored: {left.join(', ')}.{' '}
          <Anchor
            component="button"
            type="button"
            onClick={() => show(Object.fromEntries(left.map((key) => [key, ''])))}
          >
            Remove
          </Anchor>
        </Alert>
      )}
      {list.error && <Failed error={list.error} retry={() => void list.refetch()} />}
      {list.isPending && <Loading />}
      {page && (
        <>
          {selection.rows.length > 0 && (
            <Suspense>
              <SelectionBar
                selection={selection}
                actions={bulk}
                of={definition}
                variables={variables as never}
                total={Math.min(page.total ?? pagedRowsMax, pagedRowsMax)}
              />
            </Suspense>
          )}
          <div className="sheet">
            <DataTable
              label={definition.title}
              columns={chosenColumns(columns, search)}
              rows={page.items}
              keyOf={definition.keyOf}
              pathOf={definition.pathOf}
              sort={search['sort']}
              onSort={(sort) => show({ sort, page: '' })}
              selection={bulk.length > 0 ? selection : undefined}
              empty={
                isFiltered
                  ? `No ${definition.noun} match these filters.`
                  : `No ${definition.noun} yet. ${definition.comes}`
              }
            />
          </div>
          <Pages
            total={page.total === undefined ? page.items.length : page.total}
            pages={pages}
            at={at}
            onGo={(number) => show({ page: String(number) })}
          />
        </>
      )}
    </Stack>
  );
}

interface PagesProps {
  /** Null if there are more rows than were counted. */
  total: number | null;
  pages: number;
  at: number;
  onGo(page: number): void;
}

const pagesMax = pagedRowsMax / pageSize;

function pagesOf({ total, totalPages }: { total?: number | null; totalPages?: number | null }): number {
  return total === null ? pagesMax + 1 : (totalPages ?? Math.ceil((total ?? 0) / pageSize));
}

function Pages({ total, pages, at, onGo }: PagesProps) {
  return (
    <Group justify="space-between" mt="sm">
      <Text size="sm" c="dimmed" role="status">
        {total === 0 ? '' : total === 1 ? '1 row' : `${totalText(total)} rows`}
        {pages > pagesMax && `. Narrow the filters to see more than the first ${pagedRowsMax.toLocaleString()}.`}
      </Text>
      {pages > 1 && (
        <Pagination
          total={Math.min(pages, pagesMax)}
          value={at}
          onChange={onGo}
          getControlProps={(control) => ({ 'aria-label': `${control} page` })}
          getItemProps={(page) => ({ 'aria-label': `Page ${page}` })}
        />
      )}
    </Group>
  );
}
