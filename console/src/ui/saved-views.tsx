import { Button, Checkbox, Menu, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useLocation } from '@tanstack/react-router';
import { useState } from 'react';
import { ask } from '../graph/ask.ts';
import { graphql, type ResultOf } from '../graph/graphql.ts';
import { Action } from './action.tsx';
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
  const list = useLocation({ select: ({ pathname }) => pathname.split(`/${mode}/`)[1] ?? '' });
  const { data } = useQuery({
    queryKey: ['saved views', list],
    queryFn: ({ signal }) => ask(document, { list }, { signal }),
    staleTime: 60_000,
  });
  const views = data?.savedViews ?? [];
  const query = queryOf(search);
  const active = query === '' ? undefined : views.find((view) => view.query === query);
  // The dialog stays open when the view is gone.
  const [own, setOwn] = useState<View>();
  if (active?.isOwn && active.id !== own?.id) setOwn(active);
  const open = (view: View): void => onOpen(Object.fromEntries(new URLSearchParams(view.query)));
  return (
    <>
      {views.length > 0 && (
        <Menu position="bottom-end" shadow="md">
          <Menu.Target>
            <Button variant="default" size="xs">
              {active ? `View: ${active.name}` : 'Views'}
            </Button>
          </Menu.Target>
          <Menu.Dropdown mah={400} className="scrolls">
            {views.map((view) => (
              <Menu.Item key={view.id} onClick={() => open(view)}>
                {view.name}
                {view.isShared && (
                  <Text size="xs" c="dimmed">
                    {view.isOwn ? 'shared by you' : `shared by ${view.ownerEmail}`}
                  </Text>
                )}
              </Menu.Item>
            ))}
          </Menu.Dropdown>
        </Menu>
      )}
      {query !== '' && !active && <SaveView list={list} query={query} />}
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

function SaveView({ list, query }: { list: string; query: string }) {
  const [name, setName] = useState('');
  const [isShared, setShared] = useState(false);
  return (
    <Action
      name="Save view"
      isHarmless
      takesReason={false}
      document={save}
      consequence="Saves the filters, the order and the columns. A view of yours with the same name is replaced."
      variables={() => ({ list, name: name.trim(), query, isShared })}
      onDone={() => setName('')}
    >
      <TextInput
        label="Name"
        required
        maxLength={100}
        value={name}
        onChange={({ currentTarget }) => setName(currentTarget.value)}
      />
      <Checkbox
        label="Share with my team"
        checked={isShared}
        onChange={({ currentTarget }) => setShared(currentTarget.checked)}
      />
    </Action>
  );
}
