import { Box, Combobox, Group, Modal, Stack, Text, TextInput, useCombobox } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { ask } from '../graph/ask.ts';
import { failureOf } from '../graph/failure.ts';
import { useMode } from '../ui/mode.ts';
import { useCommands } from './search-actions.ts';
import { type Choice, canBeFound, choicesOf, findDocument, shortest, useLists } from './search-choices.ts';

/** The search in its dialog. It is loaded with the first use. */
export function SearchDialog({ isOpen, onClose }: { isOpen: boolean; onClose(): void }) {
  return (
    <Modal opened={isOpen} onClose={onClose} title="Search" size="lg" keepMounted={false} withCloseButton={false}>
      <SearchForm onClose={onClose} />
    </Modal>
  );
}

/** Finds any object by its name, identifier, email address, last four digits or Request-Id, of both modes and of any time. */
function SearchForm({ onClose }: { onClose(): void }) {
  const mode = useMode();
  const navigate = useNavigate();
  const options = useCombobox({ opened: true });
  const [typed, setTyped] = useState('');
  const [text] = useDebouncedValue(typed.trim(), 200);
  const [failed, setFailed] = useState<string>();
  /** What was typed when Enter was pressed before the answer. */
  const [awaited, setAwaited] = useState<string>();
  const isAsked = canBeFound(text);
  const hits = useQuery({
    queryKey: ['find', text],
    queryFn: ({ signal }) => ask(findDocument, { text }, { signal }),
    enabled: isAsked,
  });
  const commands = useCommands(typed, mode, setFailed);
  const found = isAsked ? choicesOf(hits.data?.search ?? [], text, mode) : [];
  const lists = useLists(isAsked ? typed : '', mode);
  const choices = [...found, ...commands, ...lists];
  const firstKey = choices[0]?.key;
  const isWaiting = canBeFound(typed.trim()) && (typed.trim() !== text || hits.isPending);
  useEffect(() => {
    options.selectFirstOption();
  }, [firstKey]);
  const open = (key: string): void => {
    const choice = choices.find((one) => one.key === key);
    if (!choice) return;
    choice.act?.();
    if (choice.path === undefined) return;
    const [pathname, search] = choice.path.split('?');
    onClose();
    void navigate({
      to: `/${choice.mode}${pathname}`,
      search: Object.fromEntries(new URLSearchParams(search)),
    });
  };
  useEffect(() => {
    if (isWaiting || awaited === undefined) return;
    setAwaited(undefined);
    if (awaited === typed && firstKey !== undefined) open(firstKey);
  }, [isWaiting, awaited]);
  return (
    <Combobox store={options} onOptionSubmit={open}>
      <Stack gap="xs">
        <Combobox.EventsTarget>
          <TextInput
            aria-label="Search"
            placeholder="A name, ID, email, last four digits, Request-Id, page or action"
            value={typed}
            error={failed}
            onChange={({ currentTarget }) => setTyped(currentTarget.value)}
            // What is first before the answer may not be what is first with it.
            onKeyDownCapture={(event) => {
              if (event.key !== 'Enter' || !isWaiting) return;
              event.preventDefault();
              event.stopPropagation();
              setAwaited(typed);
            }}
            // The list of results keeps the key from the dialog.
            onKeyDown={({ key }) => key === 'Escape' && onClose()}
            autoComplete="off"
            spellCheck={false}
            data-autofocus
          />
        </Combobox.EventsTarget>
        <Box className="found" tabIndex={0} role="region" aria-label="Results">
          <Combobox.Options aria-label="Results">
            {(['Found', 'Pages', 'Actions', 'Lists'] as const).map((group) => {
              const ofGroup = choices.filter((choice) => choice.group === group);
              if (ofGroup.length === 0) return null;
              return (
                <Combobox.Group key={group} label={group}>
                  {ofGroup.map((choice) => (
                    <Combobox.Option key={choice.key} value={choice.key}>
                      <ChoiceText choice={choice} />
                    </Combobox.Option>
                  ))}
                </Combobox.Group>
              );
            })}
            {found.length === 0 && commands.length === 0 && (
              <Combobox.Empty>{emptyText(text, hits.isFetching, hits.error)}</Combobox.Empty>
            )}
          </Combobox.Options>
        </Box>
      </Stack>
    </Combobox>
  );
}

function ChoiceText({ choice }: { choice: Choice }) {
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
      {choice.ownMode && (
        <Text size="xs" flex="none">
          {choice.ownMode} mode
        </Text>
      )}
    </Group>
  );
}

function emptyText(text: string, isFetching: boolean, error: unknown): string {
  if (error) return failureOf(error).message;
  if (text.length < shortest) return 'Type at least two characters.';
  return isFetching ? 'Searching…' : 'No results for this name, ID, email address, card or Request-Id.';
}
