import { Box, Group, Table, Text, UnstyledButton } from '@mantine/core';
import { Link, useParams } from '@tanstack/react-router';
import type { KeyboardEvent, MouseEvent, ReactNode } from 'react';
import { Check } from './check.tsx';
import { useFittingColumns } from './fitting-columns.ts';
import type { Column } from './list-definition.ts';
import { Empty } from './loading-empty-failed.tsx';
import { KeepRow } from './open-dialogs.ts';
import type { Selection } from './selection.ts';
import { useStickyRows } from './sticky-rows.ts';

export interface DataTableProps<Row> {
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  keyOf(row: Row): string;
  /** The path below the mode, with its search if it has one. */
  pathOf?: ((row: Row) => string | undefined) | undefined;
  /** `field:asc` or `field:desc`. */
  sort?: string | undefined;
  onSort?: (sort: string) => void;
  /** With it, each row has a checkbox. */
  selection?: Selection<Row> | undefined;
  /** What to say instead of a table without rows. */
  empty?: string;
}

/** A table whose rows open the page of their first cell's link. The arrow keys move between rows. */
export function DataTable<Row>(props: DataTableProps<Row>) {
  const { label, columns, rows, keyOf, pathOf, sort, onSort, selection, empty } = props;
  const { mode = 'test' } = useParams({ strict: false });
  const shown = useStickyRows(rows, keyOf);
  const { frame, fitting, omitted } = useFittingColumns(columns);
  if (shown.length === 0 && empty !== undefined) return <Empty>{empty}</Empty>;
  return (
    <Box ref={frame} tabIndex={0} role="region" aria-label={label} className="rows-frame">
      <Table highlightOnHover horizontalSpacing={10} aria-label={label} onKeyDown={moveBetweenRows} className="rows">
        <Table.Thead>
          <Table.Tr>
            {selection && (
              <Table.Th w={36}>
                <Check
                  aria-label="Select the rows of this page"
                  checked={rows.length > 0 && rows.every(selection.has)}
                  isMixed={rows.some(selection.has) && !rows.every(selection.has)}
                  onChange={(isChecked) => selection.set(rows, isChecked)}
                />
              </Table.Th>
            )}
            {fitting.map((column) => (
              <Heading key={column.name} column={column} sort={sort} onSort={onSort} />
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {shown.map(({ key, row, keep }) => {
            const path = pathOf?.(row);
            return (
              <KeepRow key={key} value={keep}>
                <Table.Tr
                  data-opens={path !== undefined || undefined}
                  onClick={path === undefined ? undefined : openRow}
                >
                  {selection && (
                    <Table.Td>
                      <Check
                        aria-label={`Select ${key}`}
                        checked={selection.has(row)}
                        onChange={(isChecked) => selection.set([row], isChecked)}
                      />
                    </Table.Td>
                  )}
                  {fitting.map(({ name, cell, right }, index) => (
                    <Table.Td key={name} ta={right ? 'right' : undefined} data-label={index > 0 ? name : undefined}>
                      {index === 0 && path ? <RowLink path={`/${mode}${path}`}>{cell(row)}</RowLink> : cell(row)}
                    </Table.Td>
                  ))}
                </Table.Tr>
              </KeepRow>
            );
          })}
        </Table.Tbody>
      </Table>
      {omitted.length > 0 && (
        <Text size="xs" c="dimmed" p="xs">
          Not shown at this width:{' '}
          {columns
            .filter(({ name }) => omitted.includes(name))
            .map(({ name }) => name)
            .join(', ')}
          .
        </Text>
      )}
    </Box>
  );
}

function RowLink({ path, children }: { path: string; children: ReactNode }) {
  const [to, search] = path.split('?');
  return (
    <Link to={to} search={Object.fromEntries(new URLSearchParams(search)) as never} className="row-link">
      {children}
    </Link>
  );
}

interface HeadingProps<Row> {
  column: Column<Row>;
  sort: string | undefined;
  onSort: ((sort: string) => void) | undefined;
}

function Heading<Row>({ column: { name, sort: field, about, right }, sort, onSort }: HeadingProps<Row>) {
  const align = right ? 'right' : undefined;
  if (!field || !onSort)
    return (
      <Table.Th scope="col" ta={align} title={about}>
        {name}
      </Table.Th>
    );
  const [current, direction] = (sort ?? '').split(':');
  const isSorted = current === field;
  const isAscending = isSorted && direction === 'asc';
  return (
    <Table.Th scope="col" ta={align} aria-sort={isSorted ? (isAscending ? 'ascending' : 'descending') : 'none'}>
      <UnstyledButton onClick={() => onSort(`${field}:${isSorted && !isAscending ? 'asc' : 'desc'}`)}>
        <Group gap={4} wrap="nowrap" justify={right ? 'flex-end' : undefined}>
          {name}
          <Text component="span" aria-hidden size="xs" c={isSorted ? undefined : 'dimmed'}>
            {isAscending ? '▲' : '▼'}
          </Text>
        </Group>
      </UnstyledButton>
    </Table.Th>
  );
}

/**
 * A click anywhere in a row follows its link, unless it is on another control or ends a selection of text. With the keys
 * that open a tab it opens one, as a click on the link does.
 */
function openRow(event: MouseEvent<HTMLTableRowElement>): void {
  const { target, currentTarget, metaKey, ctrlKey } = event;
  if (event.defaultPrevented || (target as HTMLElement).closest('a, button, input, label, [role=dialog]')) return;
  if (!currentTarget.contains(target as Node) || window.getSelection()?.type === 'Range') return;
  const link = currentTarget.querySelector<HTMLAnchorElement>('.row-link');
  link?.dispatchEvent(new window.MouseEvent('click', { bubbles: true, cancelable: true, metaKey, ctrlKey }));
}

function moveBetweenRows(event: KeyboardEvent<HTMLTableElement>): void {
  if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
  const links = [...event.currentTarget.querySelectorAll<HTMLElement>('.row-link')];
  const at = links.indexOf(document.activeElement as HTMLElement);
  const next = links[at + (event.key === 'ArrowDown' ? 1 : -1)];
  if (!next) return;
  event.preventDefault();
  next.focus();
}
