import { Anchor, Group, Stack, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import type { TadaDocumentNode } from 'gql.tada';
import { type ReactNode, useState } from 'react';
import { ask } from '../graph/ask.ts';
import { useMode } from '../shell/mode.ts';
import type { Search } from './list-definition.ts';
import { Failed, Loading } from './states.tsx';

/**
 * Reads the object whose identifier stands in the path, and again after `again` milliseconds if that is no `false`. A page
 * that is open stays as it was, with what was typed in it, when the person may no longer read it.
 */
export function useDetail<Data, Variables>(
  document: TadaDocumentNode<Data, Variables>,
  variables: Variables,
  again: (data: Data) => number | false = () => false,
) {
  const id = usePathId();
  const { data, error, refetch } = useQuery({
    queryKey: [variables, document],
    queryFn: ({ signal }) => ask(document, variables, { signal }),
    refetchInterval: ({ state }) => (state.data === undefined ? false : again(state.data)),
  });
  const [shown, setShown] = useState<{ id: string; data: Data }>();
  if (data !== undefined && (shown?.id !== id || shown.data !== data)) setShown({ id, data });
  return { data: data ?? (shown?.id === id ? shown.data : undefined), error, refetch };
}

/** The identifier in the path of the page. */
export function usePathId(): string {
  const { id = '' } = useParams({ strict: false }) as { id?: string };
  return id;
}

interface DetailProps {
  title: ReactNode;
  /** The list that the object belongs to. */
  list: { name: string; path: string };
  actions?: ReactNode;
  children: ReactNode;
}

/** The frame of the page of one object. */
export function Detail({ title, list, actions, children }: DetailProps) {
  return (
    <Stack gap="md">
      <PathLink path={list.path}>← {list.name}</PathLink>
      <Group justify="space-between">
        <Title order={1} size="h2">
          {title}
        </Title>
        <Group gap="xs">{actions}</Group>
      </Group>
      {children}
    </Stack>
  );
}

/** A link to a page of the console in the present mode. */
export function PathLink({ path, search, children }: { path: string; search?: Search; children: ReactNode }) {
  const mode = useMode();
  return (
    <Anchor component={Link} to={`/${mode}${path}` as never} search={search as never} size="sm">
      {children}
    </Anchor>
  );
}

/** Shows the object when it is there, and what happens until then. */
export function Ready<Data>({
  query,
  children,
}: {
  query: { data: Data | undefined; error: unknown; refetch(): unknown };
  children(data: Data): ReactNode;
}) {
  if (query.data !== undefined) return children(query.data);
  if (query.error) return <Failed error={query.error} retry={() => void query.refetch()} />;
  return <Loading />;
}
