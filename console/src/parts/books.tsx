import { Card, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { ask } from '../graph/ask.ts';
import { graphql } from '../graph/graphql.ts';
import { useMode } from '../shell/mode.ts';
import { may, usePerson } from '../shell/person.tsx';
import { PathLink, Ready } from './detail-page.tsx';
import { distance } from './format.ts';

const document = graphql(`
  query Books($mode: Mode!, $isHub: Boolean!) {
    books: booksState(mode: $mode) {
      ledger { at differenceCount }
      reconciliation { at differenceCount }
    }
    audit: auditHead @include(if: $isHub) { lastVerification { at ok } }
  }
`);

/** When ledger, reconciliation and audit log were last checked, and whether they agreed. */
export function BooksTiles() {
  const mode = useMode();
  const isHub = may(usePerson(), 'hub');
  const query = useQuery({
    queryKey: ['books', mode, isHub],
    queryFn: ({ signal }) => ask(document, { mode, isHub }, { signal }),
    refetchInterval: 60_000,
  });
  return (
    <Ready query={query}>
      {({ books, audit }) => (
        <>
          <CheckTile name="Ledger" path="/ledger" {...stateOf(books?.ledger)} />
          {/* Live charges are in the records of real processors. */}
          {mode === 'test' && <CheckTile name="Reconciliation" path="/ledger" {...stateOf(books?.reconciliation)} />}
          {isHub && (
            <CheckTile
              name="Audit log"
              path="/audit"
              at={audit?.lastVerification?.at}
              text={audit?.lastVerification ? (audit.lastVerification.ok ? 'Whole' : 'Broken') : 'Not verified'}
              isWrong={audit?.lastVerification?.ok === false}
            />
          )}
        </>
      )}
    </Ready>
  );
}

interface CheckState {
  text: string;
  at: string | undefined;
  isWrong: boolean;
}

function stateOf(check: { at: string; differenceCount: number } | null | undefined): CheckState {
  if (!check) return { text: 'Not checked', at: undefined, isWrong: false };
  const { at, differenceCount: count } = check;
  const found = count === 1 ? '1 difference' : `${count.toLocaleString()} differences`;
  return { text: count === 0 ? 'Agrees' : found, at, isWrong: count > 0 };
}

/** The result of a check, which leads to its page. What is wrong stands out. */
function CheckTile({ name, path, text, at, isWrong }: CheckState & { name: string; path: string }) {
  return (
    <Card withBorder padding="sm" className="tile" data-waiting={isWrong || undefined}>
      <Text fz={18} fw={700} lh={1.6}>
        {text}
      </Text>
      <PathLink path={path}>{name}</PathLink>
      {at !== undefined && (
        <Text size="xs" c="dimmed">
          {distance(at, Date.now())}
        </Text>
      )}
    </Card>
  );
}
