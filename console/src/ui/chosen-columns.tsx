import { Button, Popover, Stack } from '@mantine/core';
import { Check } from './check.tsx';
import type { Column, Search } from './list-definition.ts';

/** The names of the columns that the URL hides. A column that is new is shown in old links, too. */
const hiddenIn = (search: Search): readonly string[] => search['hidden']?.split(',') ?? [];

/** The columns of a list without those that the URL hides. The first column, whose link opens the row, stays. */
export function chosenColumns<Row>(columns: readonly Column<Row>[], search: Search): Column<Row>[] {
  const hidden = hiddenIn(search);
  return columns.filter(({ name }, index) => index === 0 || !hidden.includes(name));
}

interface ColumnsMenuProps {
  /** The names of the columns that can be hidden. */
  names: readonly string[];
  search: Search;
  onChange(changes: Search): void;
}

/** Hides and shows the columns of a list. */
export function ColumnsMenu({ names, search, onChange }: ColumnsMenuProps) {
  const hidden = hiddenIn(search).filter((name) => names.includes(name));
  return (
    <Popover position="bottom-end" shadow="md" trapFocus returnFocus withRoles={false}>
      <Popover.Target>
        <Button variant="default" size="xs" aria-haspopup="dialog">
          Columns
        </Button>
      </Popover.Target>
      <Popover.Dropdown role="dialog" aria-label="Columns">
        <Stack gap="xs">
          {names.map((name) => (
            <Check
              key={name}
              label={name}
              checked={!hidden.includes(name)}
              onChange={(isShown) =>
                onChange({ hidden: (isShown ? hidden.filter((one) => one !== name) : [...hidden, name]).join(',') })
              }
            />
          ))}
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}
