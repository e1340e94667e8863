import { refusalOf } from '../../auth/refuse.ts';
import type { SessionContext } from '../../call/context.ts';
import { Gone, NotFound } from '../../lib/errors.ts';
import { write } from '../../unit-of-work/write.ts';
import { byteOrderMark, csvRow } from './csv.ts';
import { type ExportKind, exportKinds } from './export-kinds.ts';
import { type BegunExport, exportRowsMax, exportVisibility, unsealExport } from './export-request.ts';

/** The file of an export, which is read while it is sent. */
export interface ExportFile {
  name: string;
  /** Stops reading when its consumer stops. */
  parts: AsyncGenerator<string, void>;
}

/**
 * Opens the file of an export with the current rights of the user. 404 for an address that is not one of theirs, 410
 * when it has expired, 403 when they may no longer read the list.
 */
export async function openExport(context: SessionContext, sealed: string): Promise<ExportFile> {
  const { services, caller } = context;
  const begun = unsealExport(services.config.fingerprintKey, sealed);
  if (begun?.userId !== caller.userId) throw new NotFound('Export not found.');
  const now = services.clock.now();
  if (begun.expiresAtMs <= services.clock.earliest().getTime())
    throw new Gone('The export has expired: create it again.');
  const kind: ExportKind = exportKinds[begun.list];
  const refusal = refusalOf(kind.scope, caller, true);
  if (refusal) throw refusal;
  const visibility = await exportVisibility(context, begun, begun.mayBeLate);
  const batches = kind.read(services.pool, visibility, begun.filters);
  const words = begun.list.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  const name = [words, begun.mode, now.toISOString().slice(0, 10)].filter(Boolean).join('-');
  return { name: `${name}.csv`, parts: partsOf(context, begun, kind, batches) };
}

async function* partsOf(
  context: SessionContext,
  begun: BegunExport,
  { columns }: ExportKind,
  batches: ReturnType<ExportKind['read']>,
): AsyncGenerator<string, void> {
  let rows = 0;
  let isComplete = false;
  try {
    yield byteOrderMark + csvRow(columns);
    for await (const batch of batches) {
      rows += batch.length;
      // Aborted, so that the file is not mistaken for a complete one.
      if (rows > exportRowsMax) throw new Error(`Export ${begun.id} has grown beyond its bound.`);
      yield batch.map((row) => csvRow(columns.map((column) => row[column]))).join('');
    }
    isComplete = true;
  } finally {
    await recordEnd(context, begun, { rows, isComplete });
  }
}

/** Records how many rows were read for the user, also if the file was aborted. */
async function recordEnd(
  context: SessionContext,
  { id, list, mode }: BegunExport,
  sent: { rows: number; isComplete: boolean },
): Promise<void> {
  const action = 'downloadExport';
  await write(context, action, async ({ audit }) =>
    audit({ action, target: id, after: { list, ...sent }, ...(mode && { mode }) }),
  );
}
