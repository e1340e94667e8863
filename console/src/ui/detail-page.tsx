import { Anchor, Group, Stack, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, Navigate, useParams } from '@tanstack/react-router';
import type { TadaDocumentNode } from 'gql.tada';
import { type ReactNode, useState } from 'react';
import { ask } from '../graph/ask.ts';
import { failureOf } from '../graph/failure.ts';
import type { Search } from './list-definition.ts';
import { lastView } from './list-view.ts';
import { Failed, Loading, Missing } from './loading-empty-failed.tsx';
import { useMode } from './mode.ts';
import { usePageTitle } from './page-title.ts';
import { may, usePerson } from './person.tsx';

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
  /** Whether the object is of live mode, where a link may have named the other one. */
  livemode?: boolean;
  actions?: ReactNode;
  /** What the audit log calls the object, if it has rows about such objects. */
  audited?: string;
  children: ReactNode;
}

/** The frame of the page of one object. */
export function Detail({ title, list, livemode, actions, audited, children }: DetailProps) {
  const mode = useMode();
  const mayAudit = may(usePerson(), 'auditor');
  usePageTitle(`${list.name}: ${usePathId()}`);
  const own = livemode === undefined ? mode : livemode ? 'live' : 'test';
  // What is live is never shown, and acted on, as if it were not.
  if (own !== mode) return <Navigate to="." params={(named: object) => ({ ...named, mode: own })} replace />;
  return (
    <Stack gap="md">
      <Group gap="md">
        <PathLink path={list.path} search={lastView(`/${mode}${list.path}`)}>
          ← {list.name}
        </PathLink>
        {mayAudit && audited !== undefined && (
          <PathLink path="/audit" search={{ target: audited }}>
            Audit history
          </PathLink>
        )}
      </Group>
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

interface PathLinkProps {
  path: string;
  search?: Search;
  /** What is shown on hover, such as the identifier of an object whose name is the text. */
  title?: string;
  children: ReactNode;
}

/** A link to a page of the console in the present mode. */
export function PathLink({ path, search, title, children }: PathLinkProps) {
  const mode = useMode();
  return (
    <Anchor component={Link} to={`/${mode}${path}` as never} search={search as never} title={title} size="sm">
      {children}
    </Anchor>
  );
}

/** Shows the object when it is there, and what happens until then. */
export function Ready<Data>({
  query,
  missing,
  children,
}: {
  query: { data: Data | undefined; error: unknown; refetch(): unknown };
  /** What to say of an object that is not there, or that the person may not read, which is the same to them. */
  missing?: string;
  children(data: Data): ReactNode;
}) {
  if (query.data !== undefined) return children(query.data);
  if (missing !== undefined && failureOf(query.error).isMissing) return <Missing>{missing}</Missing>;
  if (query.error) return <Failed error={query.error} retry={() => void query.refetch()} />;
  return <Loading />;
}
