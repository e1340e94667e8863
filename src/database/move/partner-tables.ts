import { type Table, tablesOf } from '../backup/backup.ts';
import type { Queryable } from '../sql.ts';

/** A table with rows of a partner, and the condition that finds them, of the row `t`. */
export interface PartnerTable extends Table {
  rowsOf(partner: MovedPartner): string;
}

/** A partner as conditions name it: its id as a literal, and where its rows are once they are set aside. */
export interface MovedPartner {
  id: string;
  /** The table with the rows of a table that are set aside. */
  aside(table: string): string;
}

/** Tables without the column `partnerId`, after those on whose rows they depend. */
const dependent: Readonly<Record<string, (partner: MovedPartner) => string>> = {
  'public.partners': ({ id }) => `t.id = ${id}`,
  'public.idempotency_records': ({ id, aside }) =>
    `split_part(t.owner, ':', 1) = ${id} OR t.owner IN (SELECT id FROM ${aside('public.processing_accounts')}) ` +
    `OR t.owner IN (SELECT id FROM ${aside('public.client_sessions')})`,
  'public.processor_events': ofParent('processorId', 'public.processors'),
  'public.webhook_attempts': ofParent('deliveryId', 'public.webhook_deliveries'),
  'vault.cards': ofParent('platformAccountId', 'public.processing_accounts'),
  'counters.figures_changed': ofParent('platformAccountId', 'public.processing_accounts'),
  'counters.funnel_figures': ofParent('funnelId', 'public.funnel_versions', 'funnelId'),
  'counters.funnel_payments': ofParent('paymentId', 'public.payments'),
  'limits.card_attempts': ofParent('storeId', 'public.stores'),
  'limits.presented_numbers': ofParent('platformAccountId', 'public.processing_accounts'),
  'test_processor.charges': ofParent('reference', 'public.transactions'),
  'test_processor.modifications': ofParent('chargeReference', 'test_processor.charges', 'reference'),
  'test_processor.disputes': ofParent('chargeReference', 'test_processor.charges', 'reference'),
};

/** Tables whose rows are of no partner, and why. */
export const notOfPartners: Readonly<Record<string, string>> = {
  'archive.files': 'the files of closed months are those of an installation',
  'audit.head': 'the chain of the audit log is that of its installation',
  'cells.moves': 'says what happened to partners of this cell',
  'cells.own': 'names this cell',
  'cells.stopped_keys': 'says what happened to partners of this cell',
  'counters.figures_until': 'the day until which this installation has summed',
  'counters.user_counts': 'people are of an installation',
  'keys.checks': 'the keys of an installation',
  'ledger.checks': 'proofs of the whole ledger of an installation',
  'public.audit_rows': 'the chain of the audit log is that of its installation',
  'public.audit_verifications': 'verifications of that chain',
  'public.ended_sessions': 'sessions of people, who are of an installation',
  'public.iam_org_members': 'people are of an installation',
  'public.iam_users': 'people are of an installation',
  'public.idp_processed_events': 'messages of the identity provider of an installation',
  'public.idp_versions': 'messages of the identity provider of an installation',
  'public.pending_compensations': 'changes at the identity provider of an installation',
  'public.refund_limits': 'set for all partners of an installation',
  'test_processor.connect_codes': 'codes that are valid for a minute',
};

/** Rows of a partner that leave with it and do not arrive, and why. */
export const notPut: Readonly<Record<string, string>> = {
  'counters.figures': 'each cell sums the days by itself',
  'public.partner_memberships': 'people are of an installation: staff are invited again in the other cell',
};

/**
 * Every table with rows of partners, in an order in which each table follows those that its condition names. A table
 * that is in neither list and has no column `partnerId` is an error, so that a new one cannot be left behind.
 */
export async function partnerTables(database: Queryable): Promise<PartnerTable[]> {
  const tables = (await tablesOf(database)).filter(({ schema, name }) => {
    // The identity provider's own tables: people are of an installation.
    return schema !== 'idp' && !(`${schema}.${name}` in notOfPartners);
  });
  const own = tables
    .filter(({ columns }) => columns.includes('partnerId'))
    .map((table) => ({ ...table, rowsOf: ({ id }: MovedPartner) => `t."partnerId" = ${id}` }));
  const others = Object.entries(dependent).flatMap(([name, rowsOf]) => {
    const table = tables.find((known) => fullName(known) === name);
    return table ? [{ ...table, rowsOf }] : [];
  });
  const found = [...own, ...others].map(fullName);
  const forgotten = tables.map(fullName).filter((name) => !found.includes(name));
  if (forgotten.length > 0)
    throw new Error(`It is not known which rows of ${forgotten.join(', ')} are of a partner (partner-tables.ts).`);
  return [...own, ...others];
}

export function fullName({ schema, name }: Pick<Table, 'schema' | 'name'>): string {
  return `${schema}.${name}`;
}

function ofParent(column: string, parent: string, parentColumn = 'id') {
  return ({ aside }: MovedPartner): string => `t."${column}" IN (SELECT "${parentColumn}" FROM ${aside(parent)})`;
}
