import { Combobox, Loader, Text, TextInput, useCombobox } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { failureOf } from '../graph/failure.ts';
import type { Search } from './list-definition.ts';
import { useMode } from './mode.ts';
import {
  askName,
  askObjects,
  isIdentifier,
  type NamedObject,
  type ObjectKind,
  objectKinds,
} from './objects-by-name.ts';
import { usePerson } from './person.tsx';

/** The name of an object whose identifier is in the URL or in a form; the identifier until it is known. */
export function useObjectName(kind: ObjectKind | undefined, id: string): string {
  const person = usePerson();
  const { data } = useQuery({
    queryKey: ['name of object', kind, id],
    queryFn: ({ signal }) => (kind ? askName(kind, id, person, signal) : null),
    enabled: kind !== undefined && id !== '',
    staleTime: 300_000,
  });
  return data ?? id;
}

interface ObjectPickerProps {
  kind: ObjectKind;
  label: string;
  description?: string;
  isRequired?: boolean;
  /** Whether it has the focus when its dialog opens. */
  isFirst?: boolean;
  /** The identifier. In a form, also a text that names no object yet. */
  value: string;
  /** Called with the identifier of what was chosen, and with an empty text when the field is emptied. */
  onChange(value: string): void;
  /** Called with what is typed, in a form. A filter uses only what was chosen. */
  onType?(text: string): void;
}

/** A field for an object of the platform: its name is typed and chosen, or its identifier is pasted. */
export function ObjectPicker(props: ObjectPickerProps) {
  const { kind, label, description, isRequired = false, isFirst = false, value, onChange, onType } = props;
  const { noun, placeholder } = objectKinds[kind];
  const mode = useMode();
  const person = usePerson();
  const [typed, setTyped] = useState<string>();
  const name = useObjectName(typed === undefined && isIdentifier(kind, value) ? kind : undefined, value);
  const [refused, setRefused] = useState<string>();
  const [text] = useDebouncedValue((typed ?? '').trim(), 200);
  const options = useCombobox({ onDropdownClose: () => options.resetSelectedOption() });
  const found = useQuery({
    queryKey: ['objects by name', kind, mode, text],
    queryFn: ({ signal }) => askObjects(kind, { mode, text, person }, signal),
    enabled: text !== '' && options.dropdownOpened,
  });
  const isCurrent = text === (typed ?? '').trim();
  const proposals = isCurrent && text !== '' ? (found.data ?? []) : [];
  const names = ({ id, name: proposed }: NamedObject, entered: string): boolean =>
    id === entered || proposed.toLowerCase() === entered.toLowerCase();
  // What is typed in full in a form needs no proposals, which would cover its button.
  const isWhole = onType !== undefined && proposals.some((one) => names(one, text));

  const take = (id: string): void => {
    setTyped(undefined);
    setRefused(undefined);
    options.closeDropdown();
    onChange(id);
  };
  /** Uses what was typed. It is refused if it names nothing, so that no list is filtered by it. */
  const use = async (): Promise<void> => {
    const entered = typed?.trim();
    if (entered === undefined) return;
    if (entered === '') return take('');
    try {
      const matches = await askObjects(kind, { mode, text: entered, person });
      const equal = matches.filter((one) => names(one, entered));
      const [only, ...others] = equal.length > 0 ? equal : matches;
      if (!only) setRefused(`No ${noun} matches “${entered}”.`);
      else if (others.length > 0) setRefused(`More than one ${noun} matches “${entered}”: choose one.`);
      else take(only.id);
    } catch (error) {
      // A form says why when it is sent. A message here would move its button away under the pointer.
      if (onType === undefined) setRefused(failureOf(error).message);
    }
  };

  return (
    // The proposals are part of the dialog or the popover of the field: a portal is in no landmark of the page.
    <Combobox store={options} onOptionSubmit={take} withinPortal={false}>
      <Combobox.Target withExpandedAttribute autoComplete="off">
        <TextInput
          label={label}
          description={description}
          placeholder={`Name or ${placeholder}`}
          required={isRequired}
          value={typed ?? name}
          title={value === '' ? undefined : value}
          error={refused}
          rightSection={found.isFetching ? <Loader size="xs" /> : undefined}
          spellCheck={false}
          data-autofocus={isFirst || undefined}
          onChange={({ currentTarget }) => {
            setTyped(currentTarget.value);
            setRefused(undefined);
            onType?.(currentTarget.value);
            options.openDropdown();
            options.resetSelectedOption();
          }}
          onBlur={() => {
            options.closeDropdown();
            void use();
          }}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || typed === undefined || options.getSelectedOptionIndex() !== -1) return;
            event.preventDefault();
            void use();
          }}
        />
      </Combobox.Target>
      <Combobox.Dropdown hidden={proposals.length === 0 || isWhole}>
        <Combobox.Options aria-label="Proposals">
          {proposals.map(({ id, name: proposed, detail }) => (
            <Combobox.Option key={id} value={id}>
              <Text size="sm">{proposed}</Text>
              {detail !== '' && (
                <Text size="xs" c="dimmed">
                  {detail}
                </Text>
              )}
            </Combobox.Option>
          ))}
        </Combobox.Options>
      </Combobox.Dropdown>
    </Combobox>
  );
}

/** The account of what a list creates, with its field: the one that the list is filtered by, until another is chosen. */
export function useListedAccount() {
  const { platformAccountId = '' }: Search = useSearch({ strict: false });
  const [typed, setTyped] = useState<string>();
  const value = typed ?? platformAccountId;
  const field = (
    <ObjectPicker kind="account" label="Account" isRequired value={value} onChange={setTyped} onType={setTyped} />
  );
  return { id: value.trim(), field };
}
