import { readLines } from './archive-file.ts';
import { allSeries, type Manifest, pathsOf, readManifests } from './manifest.ts';
import { type FileRow, parseRow } from './verify-file.ts';

/** Which rows of an archive are asked for. A row must match all that is given. */
export interface ArchiveQuery {
  kind?: 'events' | 'audit' | undefined;
  id?: string | undefined;
  /** The account of an event. */
  account?: string | undefined;
  /** The object of an event, or the target of an audit row. */
  object?: string | undefined;
  /** From this moment on. */
  from?: Date | undefined;
  /** Before this moment. */
  to?: Date | undefined;
}

/** The rows that match, as they stand in the files: one JSON object each. */
export async function* readArchive(dir: string, query: ArchiveQuery): AsyncGenerator<string> {
  for (const manifest of await readManifests(dir)) {
    if (!mayContain(manifest, query)) continue;
    for await (const lines of readLines(pathsOf(dir, manifest.name).data))
      for (const line of lines) if (matches(parseRow(line), query)) yield line;
  }
}

/** The rows of the audit log, in the order of the chain. */
export async function* readAuditArchive(dir: string): AsyncGenerator<string[]> {
  for (const { series, name } of await readManifests(dir))
    if (series === 'audit') yield* readLines(pathsOf(dir, name).data);
}

/** Rows of the audit log are in the order of their chain, so only those of events are all of their month. */
function mayContain({ series, month }: Manifest, { kind, from, to }: ArchiveQuery): boolean {
  const isAudit = series === allSeries[2];
  if (kind !== undefined && (kind === 'audit') !== isAudit) return false;
  if (isAudit) return true;
  const isBefore = from !== undefined && month < from.toISOString().slice(0, 7);
  return !isBefore && !(to !== undefined && month > to.toISOString().slice(0, 7));
}

function matches(row: FileRow, { id, account, object, from, to }: ArchiveQuery): boolean {
  const at = Date.parse(row.createdAt ?? row.at ?? '');
  return (
    (id === undefined || row.id === id) &&
    (account === undefined || row.platformAccountId === account) &&
    (object === undefined || (row.objectId ?? row.target) === object) &&
    (from === undefined || at >= from.getTime()) &&
    (to === undefined || at < to.getTime())
  );
}
