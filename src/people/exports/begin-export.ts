import type { SessionContext } from '../../graph/context.ts';
import { invalid } from '../../kit/errors.ts';
import { newId } from '../../kit/ids.ts';
import { runAuditedChange } from '../iam/public.ts';
import { exportKinds } from './export-kinds.ts';
import { type ExportRequest, exportVisibility, sealExport } from './export-request.ts';

/** An export whose file can be downloaded for a while. */
export interface Export {
  id: string;
  url: string;
  rows: number;
  rowsMax: number;
  expiresAt: Date;
}

/** The most rows of a file. Spreadsheets open it, and no export keeps the database busy for long. */
export const exportRowsMax = 100_000;
const validMs = 5 * 60_000;
/** The head of a request is at most 16 KiB, of which the address is a part. */
const addressMax = 8_000;

/** Begins an export: counts its rows, records it, and makes the address of its file. 400 if it has too many rows. */
export async function beginExport(context: SessionContext, action: string, asked: ExportRequest): Promise<Export> {
  const { services, caller, replica } = context;
  const kind = exportKinds[asked.list];
  const visibility = await exportVisibility(context, asked, replica !== null);
  const rows = await kind.count(services.pool, visibility, asked.filters, exportRowsMax + 1);
  if (rows > exportRowsMax)
    throw invalid('filters', `must match at most ${exportRowsMax} rows, for example those of one month`);
  const now = services.clock.now();
  const id = newId('exp_', now);
  const expiresAt = new Date(now.getTime() + validMs);
  const sealed = sealExport(services.config.fingerprintKey, {
    ...asked,
    id,
    userId: caller.userId,
    mayBeLate: replica !== null,
    expiresAtMs: expiresAt.getTime(),
  });
  if (sealed.length > addressMax) throw invalid('filters', 'must be shorter: name fewer values');
  const { list, mode, partnerSlug, filters } = asked;
  await runAuditedChange(context, { action, target: id }, async ({ audit }) =>
    audit({ action, target: id, after: { list, partnerSlug, filters, rows }, ...(mode && { mode }) }),
  );
  return { id, url: `${services.config.publicUrl}/exports/${sealed}`, rows, rowsMax: exportRowsMax, expiresAt };
}
