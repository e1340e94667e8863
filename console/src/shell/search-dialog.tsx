import { Box, Combobox, Group, Modal, Stack, Text, TextInput, useCombobox } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { ask } from '../graph/ask.ts';
import { failureOf } from '../graph/failure.ts';
import { type Mode, useMode } from '../ui/mode.ts';
import { type Choice, choiceOf, findDocument, useLists, usePages } from './search-choices.ts';

/** Shorter texts name nothing. Four digits end a card's number. */
const shortest = 4;

/** The search in its dialog. It is loaded with the first use. */
export function SearchDialog({ isOpen, onClose }: { isOpen: boolean; onClose(): void }) {
  return (
    <Modal opened={isOpen} onClose={onClose} title="Search" size="lg" keepMounted={false} withCloseButton={false}>
      <SearchForm onClose={onClose} />
    </Modal>
  );
}

/** Finds any object by its identifier, email address, last four digits or Request-Id, of both modes and of any time. */
function SearchForm({ onClose }: { onClose(): void }) {
  const mode = useMode();
  const navigate = useNavigate();
  const options = useCombobox({ opened: true });
  const [typed, setTyped] = useState('');
  const [text] = useDebouncedValue(typed.trim(), 200);
  const isLong = text.length >= shortest;
  const hits = useQuery({
    queryKey: ['find', text],
    queryFn: ({ signal }) => ask(findDocument, { text }, { signal }),
    enabled: isLong,
  });
  const pages = usePages(typed, mode);
  const found = isLong ? (hits.data?.search ?? []).map((hit) => choiceOf(hit, mode)) : [];
  const lists = useLists(typed, mode);
  const choices = [...found, ...pages, ...lists];
  const firstKey = choices[0]?.key;
  useEffect(() => {
    options.selectFirstOption();
  }, [firstKey]);
  const open = (key: string): void => {
    const choice = choices.find((one) => one.key === key);
    if (!choice) return;
    const [pathname, search] = choice.path.split('?');
    onClose();
    void navigate({
      to: `/${choice.mode}${pathname}`,
      search: Object.fromEntries(new URLSearchParams(search)),
    });
  };
  return (
    <Combobox store={options} onOptionSubmit={open}>
      <Stack gap="xs">
        <Combobox.EventsTarget>
          <TextInput
            aria-label="Search"
            placeholder="Any ID, email, last four digits, Request-Id, or a page"
            value={typed}
            onChange={({ currentTarget }) => setTyped(currentTarget.value)}
            // The list of results keeps the key from the dialog.
            onKeyDown={({ key }) => key === 'Escape' && onClose()}
            autoComplete="off"
            spellCheck={false}
            data-autofocus
          />
        </Combobox.EventsTarget>
        <Box className="found" tabIndex={0} role="region" aria-label="Results">
          <Combobox.Options aria-label="Results">
            {(['Found', 'Pages', 'Lists'] as const).map((group) => {
              const ofGroup = choices.filter((choice) => choice.group === group);
              if (ofGroup.length === 0) return null;
              return (
                <Combobox.Group key={group} label={group}>
                  {ofGroup.map((choice) => (
                    <Combobox.Option key={choice.key} value={choice.key}>
                      <ChoiceText choice={choice} mode={mode} />
                    </Combobox.Option>
                  ))}
                </Combobox.Group>
              );
            })}
            {found.length === 0 && pages.length === 0 && (
              <Combobox.Empty>{emptyText(isLong, hits.isFetching, hits.error)}</Combobox.Empty>
            )}
          </Combobox.Options>
        </Box>
      </Stack>
    </Combobox>
  );
}

function ChoiceText({ choice, mode }: { choice: Choice; mode: Mode }) {
  return (
    <Group justify="space-between" wrap="nowrap">
      <div>
        <Text size="sm">{choice.label}</Text>
        {choice.detail !== undefined && (
          <Text size="xs" className="identifier">
            {choice.detail}
          </Text>
        )}
      </div>
      {choice.mode !== mode && <Text size="xs">{choice.mode} mode</Text>}
    </Group>
  );
}

function emptyText(isLong: boolean, isFetching: boolean, error: unknown): string {
  if (error) return failureOf(error).message;
  if (!isLong) return 'Type at least four characters.';
  return isFetching ? 'Searching…' : 'No results for this ID, email address, card or Request-Id.';
}
