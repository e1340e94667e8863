import { Card, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { ask } from '../graph/ask.ts';
import { graphql } from '../graph/graphql.ts';
import { serverNow } from '../graph/server-time.ts';
import { PathLink, Ready } from '../ui/detail-page.tsx';
import { distance } from '../ui/format.ts';
import { useMode } from '../ui/mode.ts';
import { may, usePerson } from '../ui/person.tsx';

const document = graphql(`
  query LatestLedgerCheck($mode: Mode!) {
    ledgerCheck(mode: $mode) { at differenceCount }
  }
`);
const auditDocument = graphql(`
  query LastAuditVerification {
    auditLog(pageSize: 1) { head { lastVerification { at ok } } }
  }
`);
const refetchInterval = 60_000;

/** When ledger and audit log were last verified, and whether they agreed. */
export function LedgerCheckTiles() {
  const mode = useMode();
  const query = useQuery({
    queryKey: ['ledger check overview', mode],
    queryFn: ({ signal }) => ask(document, { mode }, { signal }),
    refetchInterval,
  });
  const isHub = may(usePerson(), 'hub');
  return (
    <>
      <Ready query={query}>
        {({ ledgerCheck }) => <CheckTile name="Ledger" path="/ledger" {...checkState(ledgerCheck)} />}
      </Ready>
      {isHub && <AuditTile />}
    </>
  );
}

function AuditTile() {
  const query = useQuery({
    queryKey: ['last audit verification'],
    queryFn: ({ signal }) => ask(auditDocument, {}, { signal }),
    refetchInterval,
  });
  return (
    <Ready query={query}>
      {({ auditLog }) => {
        const last = auditLog?.head?.lastVerification;
        const text = last ? (last.ok ? 'Intact' : 'Broken') : 'Not verified';
        return <CheckTile name="Audit log" path="/audit" text={text} at={last?.at} isWrong={last?.ok === false} />;
      }}
    </Ready>
  );
}

interface CheckState {
  text: string;
  at: string | undefined;
  isWrong: boolean;
}

function checkState(check: { at: string; differenceCount: number } | null | undefined): CheckState {
  if (!check) return { text: 'Not verified', at: undefined, isWrong: false };
  const { at, differenceCount: count } = check;
  const found = count === 1 ? '1 difference' : `${count.toLocaleString()} differences`;
  return { text: count === 0 ? 'No differences' : found, at, isWrong: count > 0 };
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
          {distance(at, serverNow())}
        </Text>
      )}
    </Card>
  );
}
