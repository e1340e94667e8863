import { Button, CopyButton, Group, MultiSelect, TextInput } from '@mantine/core';
import { useState } from 'react';
import { humanize } from './format.ts';
import type { Filter, Search } from './list-definition.ts';
import { ObjectPicker } from './object-picker.tsx';

interface FilterBarProps {
  filters: readonly Filter[];
  search: Search;
  onChange(changes: Search): void;
  onClear(): void;
}

/** The filters of a list. What is typed is used at Enter or when the field is left. */
export function FilterBar({ filters, search, onChange, onClear }: FilterBarProps) {
  const [showsAll, setShowsAll] = useState(false);
  const isFiltered = filters.some(({ key }) => search[key]);
  const hidden = showsAll ? [] : filters.filter(({ key, isAdvanced }) => isAdvanced && !search[key]);
  if (filters.length === 0) return null;
  return (
    <Group component="search" align="end" gap="sm" my="sm">
      {filters
        .filter((filter) => !hidden.includes(filter))
        .map((filter) => (
          <FilterField
            key={`${filter.key}=${search[filter.key] ?? ''}`}
            filter={filter}
            value={search[filter.key] ?? ''}
            onChange={(value) => onChange({ [filter.key]: value })}
          />
        ))}
      {hidden.length > 0 && (
        <Button variant="subtle" px="xs" onClick={() => setShowsAll(true)}>
          {hidden.length} more filters
        </Button>
      )}
      {isFiltered && (
        <Button variant="subtle" px="xs" onClick={onClear}>
          Clear filters
        </Button>
      )}
      <CopyButton value={window.location.href}>
        {({ copied, copy }) => (
          // A phone has its own way to pass a page on, and no room for another line.
          <Button variant="subtle" color="gray" px="xs" onClick={copy} visibleFrom="xs">
            {copied ? 'Link copied' : 'Copy link to this view'}
          </Button>
        )}
      </CopyButton>
    </Group>
  );
}

/** Two fields stand beside each other on a phone, so that the rows are in sight. */
const widthOf = (width: number) => ({ base: 'calc(50% - 6px)', xs: width });

interface FilterFieldProps {
  filter: Filter;
  value: string;
  onChange(value: string): void;
}

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
        clearable
        w={widthOf(160)}
      />
    );
  if (filter.kind === 'object')
    return <ObjectPicker kind={filter.object} label={filter.label} value={value} onChange={onChange} />;
  const use = (): void => {
    const entered = text.trim();
    const { prefix = '' } = filter.kind === 'text' ? filter : {};
    if (entered !== '' && !entered.startsWith(prefix)) setRefused(`Enter an identifier that begins with ${prefix}.`);
    else if (entered !== value) onChange(entered);
  };
  return (
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
      onBlur={use}
      onKeyDown={({ key }) => key === 'Enter' && use()}
      w={widthOf(150)}
    />
  );
}
