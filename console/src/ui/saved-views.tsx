import { Button, Popover, Stack, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useLocation } from '@tanstack/react-router';
import { useState } from 'react';
import { ask } from '../graph/ask.ts';
import { graphql, type ResultOf } from '../graph/graphql.ts';
import { Action } from './action.tsx';
import { Check } from './check.tsx';
import type { Search } from './list-definition.ts';
import { useMode } from './mode.ts';

const document = graphql(`
  query SavedViews($list: Handle!) {
    savedViews(list: $list) { id name query isShared isOwn ownerEmail }
  }
`);
const save = graphql(`
  mutation SaveView($list: Handle!, $name: Label!, $query: ShortText!, $isShared: Boolean!) {
    saveView(list: $list, name: $name, query: $query, isShared: $isShared) { id }
  }
`);
const deleteDocument = graphql(`
  mutation DeleteView($id: ID!) {
    deleteView(id: $id) { id }
  }
`);

type View = NonNullable<ResultOf<typeof document>['savedViews']>[number];

/** The filters, the order and the columns of a list as a query string, the same for the same view. */
function queryOf({ page: _page, ...view }: Search): string {
  return new URLSearchParams(Object.entries(view).toSorted(([one], [other]) => (one < other ? -1 : 1))).toString();
}

interface SavedViewsProps {
  search: Search;
  onOpen(search: Search): void;
}

/** The saved views of a list: opens one, saves the present one, deletes one's own. */
export function SavedViews({ search, onOpen }: SavedViewsProps) {
  const mode = useMode();
  const list = useLocation({ select: ({ pathname }) => pathname.split(`/${mode}/`)[1]?.replace('/', '') ?? '' });
  const { data } = useQuery({
    queryKey: ['saved views', list],
    queryFn: ({ signal }) => ask(document, { list }, { signal }),
    staleTime: 60_000,
  });
  const views = data?.savedViews ?? [];
  const query = queryOf(search);
  const active = query === '' ? undefined : views.find((view) => view.query === query);
  const [isOpen, setOpen] = useState(false);
  // The dialog stays open when the view is gone.
  const [own, setOwn] = useState<View>();
  if (active?.isOwn && active.id !== own?.id) setOwn(active);
  const open = (view: View): void => {
    setOpen(false);
    onOpen(Object.fromEntries(new URLSearchParams(view.query)));
  };
  return (
    <>
      {views.length > 0 && (
        <Popover
          opened={isOpen}
          onChange={setOpen}
          position="bottom-end"
          shadow="md"
          trapFocus
          returnFocus
          withRoles={false}
        >
          <Popover.Target>
            <Button variant="default" size="xs" aria-haspopup="dialog" onClick={() => setOpen(!isOpen)}>
              {active ? `View: ${active.name}` : 'Views'}
            </Button>
          </Popover.Target>
          <Popover.Dropdown role="dialog" aria-label="Saved views" p="xs">
            <Stack gap={0} className="filter-names">
              {views.map((view) => (
                <Button
                  key={view.id}
                  variant="subtle"
                  color="gray"
                  size="compact-sm"
                  justify="space-between"
                  rightSection={view.isShared && (view.isOwn ? 'shared' : view.ownerEmail)}
                  onClick={() => open(view)}
                >
                  {view.name}
                </Button>
              ))}
            </Stack>
          </Popover.Dropdown>
        </Popover>
      )}
      <SaveView
        isOffered={query !== '' && !active}
        list={list}
        query={query}
        own={views.filter(({ isOwn }) => isOwn)}
      />
      {own && (
        <Action
          name="Delete view"
          of={`“${own.name}”`}
          isOffered={active?.id === own.id}
          keep="Keep view"
          color="red"
          isHarmless
          takesReason={false}
          document={deleteDocument}
          consequence={own.isShared ? 'Your team no longer sees it.' : 'The list itself does not change.'}
          variables={() => ({ id: own.id })}
        />
      )}
    </>
  );
}

interface SaveViewProps {
  isOffered: boolean;
  list: string;
  query: string;
  /** The views of the user for the list. */
  own: readonly View[];
}

function SaveView({ isOffered, list, query, own }: SaveViewProps) {
  const [name, setName] = useState('');
  const [chosen, setShared] = useState<boolean>();
  const replaced = own.find((view) => view.name === name.trim());
  // A view that is replaced stays shared, or not, unless that is changed.
  const isShared = chosen ?? replaced?.isShared ?? false;
  return (
    <Action
      name="Save view"
      isOffered={isOffered}
      isHarmless
      takesReason={false}
      document={save}
      consequence={
        replaced
          ? `Replaces your view “${replaced.name}” with the filters, the order and the columns of the list.`
          : 'Saves the filters, the order and the columns of the list.'
      }
      variables={() => ({ list, name: name.trim(), query, isShared })}
      onDone={() => {
        setName('');
        setShared(undefined);
      }}
    >
      <TextInput
        label="Name"
        required
        maxLength={100}
        value={name}
        onChange={({ currentTarget }) => setName(currentTarget.value)}
      />
      <Check label="Share with my team" checked={isShared} onChange={setShared} />
    </Action>
  );
}
