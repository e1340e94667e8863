import { useQuery } from '@tanstack/react-query';
import { ask } from '../graph/ask.ts';
import { graphql } from '../graph/graphql.ts';
import { serverNow } from '../graph/server-time.ts';
import { distance } from '../ui/format.ts';
import { useMode } from '../ui/mode.ts';
import { may, usePerson } from '../ui/person.tsx';
import type { Concern } from './concern.ts';

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
export function useLedgerChecks() {
  const mode = useMode();
  const person = usePerson();
  const isStaff = may(person, 'platformStaff');
  const ledger = useQuery({
    queryKey: ['ledger check overview', mode],
    queryFn: ({ signal }) => ask(document, { mode }, { signal }),
    enabled: isStaff,
    refetchInterval,
  });
  const isHub = isStaff && may(person, 'hub');
  const audit = useQuery({
    queryKey: ['last audit verification'],
    queryFn: ({ signal }) => ask(auditDocument, {}, { signal }),
    enabled: isHub,
    refetchInterval,
  });
  const concerns: Concern[] = [];
  if (ledger.data) concerns.push(ledgerConcern(ledger.data.ledgerCheck));
  if (audit.data) concerns.push(auditConcern(audit.data.auditLog?.head?.lastVerification));
  return { queries: [...(isStaff ? [ledger] : []), ...(isHub ? [audit] : [])], concerns };
}

function ledgerConcern(check: { at: string; differenceCount: number } | null | undefined): Concern {
  const count = check?.differenceCount ?? 0;
  const found = count === 1 ? '1 difference' : `${count.toLocaleString()} differences`;
  return { name: 'Ledger', path: '/ledger', ...stateOf(check?.at, count > 0, found) };
}

function auditConcern(last: { at: string; ok: boolean } | null | undefined): Concern {
  return { name: 'Audit log', path: '/audit', ...stateOf(last?.at, last?.ok === false, 'Broken') };
}

function stateOf(
  at: string | undefined,
  isWrong: boolean,
  found: string,
): Pick<Concern, 'text' | 'isWaiting' | 'note'> {
  if (at === undefined) return { text: 'Not verified', isWaiting: false };
  return { text: isWrong ? found : null, isWaiting: isWrong, note: `verified ${distance(at, serverNow())}` };
}
