import { Button, CloseButton, CopyButton, Group, MultiSelect, Popover, Stack, TextInput } from '@mantine/core';
import { type FormEvent, type ReactNode, useState } from 'react';
import { humanize } from './format.ts';
import type { Filter, Search } from './list-definition.ts';
import { ObjectPicker, useObjectName } from './object-picker.tsx';

interface FilterBarProps {
  filters: readonly Filter[];
  search: Search;
  onChange(changes: Search): void;
  onClear(): void;
  /** What is always chosen, before the filters. */
  children?: ReactNode;
}

/** How many filters without a value are offered beside the button: the first of the list. */
const offeredMax = 3;

/** The filters of a list that have a value, the first ones that have none, and a button that offers all. */
export function FilterBar({ filters, search, onChange, onClear, children }: FilterBarProps) {
  const [isOpen, setOpen] = useState(false);
  /** The filter whose field is shown. None: their names are. */
  const [chosen, choose] = useState<string>();
  const used = filters.filter(({ key }) => search[key]);
  const offered = filters.slice(0, offeredMax).filter(({ key }) => !search[key]);
  const edited = filters.find(({ key }) => key === chosen);
  const open = (key?: string): void => {
    choose(key);
    setOpen(true);
  };
  if (filters.length === 0) return null;
  return (
    <Group component="search" gap="xs">
      {children}
      <Popover
        opened={isOpen}
        onChange={setOpen}
        trapFocus
        returnFocus
        position="bottom-start"
        width={280}
        shadow="md"
        withRoles={false}
      >
        <Popover.Target>
          <Button
            variant="default"
            size="compact-sm"
            aria-haspopup="dialog"
            aria-expanded={isOpen}
            onClick={() => (isOpen ? setOpen(false) : open())}
          >
            Filter
          </Button>
        </Popover.Target>
        <Popover.Dropdown role="dialog" aria-label={edited ? `Filter by ${edited.label}` : 'Filters'} p="xs">
          {edited ? (
            <FilterField
              // What was typed is not kept when the value changes otherwise; the list of choices stays open.
              key={edited.kind === 'choice' ? edited.key : `${edited.key}=${search[edited.key] ?? ''}`}
              filter={edited}
              value={search[edited.key] ?? ''}
              onChange={(value) => {
                onChange({ [edited.key]: value });
                // More than one value of a choice can be chosen.
                if (edited.kind !== 'choice') setOpen(false);
              }}
            />
          ) : (
            <Stack gap={0} className="filter-names">
              {filters.map(({ key, label }) => (
                <Button
                  key={key}
                  variant="subtle"
                  color="gray"
                  size="compact-sm"
                  justify="flex-start"
                  onClick={() => choose(key)}
                >
                  {label}
                </Button>
              ))}
            </Stack>
          )}
        </Popover.Dropdown>
      </Popover>
      {used.map((filter) => (
        <Chip
          key={filter.key}
          filter={filter}
          value={search[filter.key] ?? ''}
          onEdit={() => open(filter.key)}
          onRemove={() => onChange({ [filter.key]: '' })}
        />
      ))}
      {offered.map(({ key, label }) => (
        <Button
          key={key}
          variant="default"
          size="compact-sm"
          className="offered"
          aria-label={`Filter by ${label}`}
          aria-haspopup="dialog"
          visibleFrom="sm"
          onClick={() => open(key)}
        >
          + {label}
        </Button>
      ))}
      {used.length > 0 && (
        <Button variant="subtle" size="compact-sm" onClick={onClear}>
          Clear
        </Button>
      )}
      <CopyButton value={window.location.href}>
        {({ copied, copy }) => (
          // A phone has its own way to pass a page on, and no room for another button.
          <Button variant="subtle" color="gray" size="compact-sm" onClick={copy} visibleFrom="xs">
            {copied ? 'Link copied' : 'Copy link'}
          </Button>
        )}
      </CopyButton>
    </Group>
  );
}

interface ChipProps {
  filter: Filter;
  value: string;
  onEdit(): void;
  onRemove(): void;
}

/** A filter with its value. It opens the field of the filter. */
function Chip({ filter, value, onEdit, onRemove }: ChipProps) {
  const name = useObjectName(filter.kind === 'object' ? filter.object : undefined, value);
  const text = filter.kind === 'choice' ? value.split(',').map(humanize).join(', ') : name;
  return (
    <Group gap={0} wrap="nowrap" className="chip">
      <Button variant="subtle" size="compact-sm" title={text === value ? undefined : value} onClick={onEdit}>
        {filter.label}: {text}
      </Button>
      <CloseButton size="sm" aria-label={`Remove filter: ${filter.label}`} onClick={onRemove} />
    </Group>
  );
}

interface FilterFieldProps {
  filter: Filter;
  value: string;
  onChange(value: string): void;
}

/** The field of a filter. */
function FilterField({ filter, value, onChange }: FilterFieldProps) {
  const [text, setText] = useState(value);
  const [refused, setRefused] = useState<string>();
  if (filter.kind === 'choice')
    return (
      <MultiSelect
        label={filter.label}
        placeholder={value === '' ? 'any' : ''}
        data={filter.choices.map((choice) => ({ value: choice, label: humanize(choice) }))}
        value={value === '' ? [] : value.split(',')}
        onChange={(values) => onChange(values.join(','))}
        comboboxProps={{ withinPortal: false }}
        defaultDropdownOpened
        data-autofocus
        clearable
      />
    );
  if (filter.kind === 'object')
    return <ObjectPicker kind={filter.object} label={filter.label} value={value} onChange={onChange} isFirst />;
  const use = (event: FormEvent): void => {
    event.preventDefault();
    const entered = text.trim();
    const { prefix = '' } = filter.kind === 'text' ? filter : {};
    if (entered !== '' && !entered.startsWith(prefix)) setRefused(`Enter an identifier that begins with ${prefix}.`);
    else onChange(entered);
  };
  return (
    <form onSubmit={use}>
      <Stack gap="xs">
        <TextInput
          label={filter.label}
          type={filter.kind === 'date' ? 'date' : 'search'}
          placeholder={filter.kind === 'text' ? filter.placeholder : undefined}
          value={text}
          error={refused}
          onChange={({ currentTarget }) => {
            setText(currentTarget.value);
            setRefused(undefined);
          }}
          data-autofocus
        />
        <Button type="submit" size="compact-sm">
          Apply
        </Button>
      </Stack>
    </form>
  );
}
