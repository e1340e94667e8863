import { Button, Group, Text } from '@mantine/core';
import { lazy, useState } from 'react';
import { allRows } from './all-rows.ts';
import type { BulkAction } from './bulk-action.ts';
import { LazyDialog } from './lazy-dialog.tsx';
import type { ListDefinition } from './list-definition.ts';
import { Failed } from './loading-empty-failed.tsx';
import type { Selection } from './selection.ts';

const BulkDialog = lazy(async () => ({
  default: (await import('./bulk-dialog.tsx')).BulkDialog<unknown>,
}));

interface SelectionBarProps<Row, Variables> {
  selection: Selection<Row>;
  actions: readonly BulkAction<Row>[];
  of: ListDefinition<Row, Variables>;
  /** Those of the page. */
  variables: Variables;
  /** The number of rows that match the filters, at most those that have a page. */
  total: number;
}

/** What can be done with the selected rows. */
export function SelectionBar<Row, Variables>(props: SelectionBarProps<Row, Variables>) {
  const { selection, actions, of: list, variables, total } = props;
  const [action, setAction] = useState<BulkAction<Row>>();
  const [isReading, setIsReading] = useState(false);
  const [failure, setFailure] = useState<unknown>();
  const count = selection.rows.length;
  const selectAll = async (): Promise<void> => {
    setFailure(undefined);
    setIsReading(true);
    try {
      selection.set(await allRows(list, variables), true);
    } catch (error) {
      setFailure(error);
    } finally {
      setIsReading(false);
    }
  };
  const close = (): void => {
    setAction(undefined);
    selection.clear();
  };
  return (
    <Group gap="xs" role="toolbar" aria-label="Selected rows">
      <Text size="sm" fw={600} role="status" className="figures">
        {count.toLocaleString()} selected
      </Text>
      {count < total && (
        <Button size="compact-sm" variant="subtle" loading={isReading} onClick={() => void selectAll()}>
          Select all {total.toLocaleString()}
        </Button>
      )}
      {actions.map((offered) => (
        <Button
          key={offered.name}
          size="compact-sm"
          variant="light"
          color={offered.color}
          onClick={() => setAction(offered)}
        >
          {offered.name}
        </Button>
      ))}
      <Button size="compact-sm" variant="default" onClick={selection.clear}>
        Clear
      </Button>
      {failure !== undefined && <Failed error={failure} />}
      {action && (
        <LazyDialog title={action.name} isOpen onClose={() => setAction(undefined)}>
          <BulkDialog action={action} rows={selection.rows} noun={list.noun} onClose={close} />
        </LazyDialog>
      )}
    </Group>
  );
}
