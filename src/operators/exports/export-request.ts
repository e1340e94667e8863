import { refusalOf } from '../../auth/refuse.ts';
import type { Visibility } from '../../auth/tenancy.ts';
import { peopleVisibility } from '../../auth/visibility.ts';
import type { SessionContext } from '../../call/context.ts';
import { runAuditedChange } from '../../iam/public.ts';
import { sealingKey } from '../../keys/derived-key.ts';
import { open, seal } from '../../keys/envelope.ts';
import { invalid } from '../../lib/errors.ts';
import { type Mode, newId } from '../../lib/ids.ts';
import { recordRefusal } from '../../unit-of-work/refusals.ts';
import { type ExportKind, type ExportName, exportKinds } from './export-kinds.ts';

/** The list and the filters of an export. */
export interface ExportRequest {
  list: ExportName;
  /** Null for a list of both modes. */
  mode: Mode | null;
  partnerSlug: string | null;
  filters: object;
}

/** An export that has begun, as the address of its file contains it. */
export interface BegunExport extends ExportRequest {
  id: string;
  userId: string;
  /** Whether it may be read from a replica: not just after a change by the same user. */
  mayBeLate: boolean;
  expiresAtMs: number;
}

const sealedFor = 'export';

/**
 * Seals an export into a text for an address. Filters contain email addresses, which must not be readable in an
 * address, and only the platform can create such a text, so no row is stored for an export.
 */
function sealExport(fingerprintKey: Buffer, begun: BegunExport): string {
  const content = Buffer.from(JSON.stringify(begun));
  return seal(sealingKey(fingerprintKey, 'export'), content, sealedFor).toString('base64url');
}

/** The export in a text; null if the text was not made by `sealExport`. */
export function unsealExport(fingerprintKey: Buffer, sealed: string): BegunExport | null {
  try {
    const content = open(sealingKey(fingerprintKey, 'export'), Buffer.from(sealed, 'base64url'), sealedFor);
    // only `sealExport` makes one that opens
    return JSON.parse(content.toString('utf8')) as BegunExport;
  } catch {
    return null;
  }
}

/** The rows of the export that are visible to the user now. */
export async function exportVisibility(
  context: SessionContext,
  { list, mode, partnerSlug }: ExportRequest,
  mayBeLate: boolean,
): Promise<Visibility> {
  const replica = mayBeLate ? context.services.replica : null;
  if (list === 'auditLog' && partnerSlug !== null) throw invalid('partnerSlug', 'is not for the audit log');
  if (list === 'auditLog' && mode === null) return { kind: 'whole', replica };
  return { ...(await peopleVisibility(context, { mode, partnerSlug })), replica };
}

/** An export whose file can be downloaded for a while. */
export interface Export {
  id: string;
  url: string;
  rows: number;
  rowsMax: number;
  expiresAt: Date;
}

/** The maximum number of rows of a file. Spreadsheets can open it, and no export occupies the database for long. */
export const exportRowsMax = 100_000;
const validMs = 5 * 60_000;
/** The head of a request is at most 16 KiB, of which the address is a part. */
const addressMax = 8_000;

/** Begins an export: counts its rows, records it, and creates the address of its file. 400 if it has too many rows. */
export async function beginExport(context: SessionContext, requested: ExportRequest): Promise<Export> {
  const { services, caller, replica } = context;
  const action = 'createExport';
  const kind: ExportKind = exportKinds[requested.list];
  const refusal = refusalOf(kind.scope, caller, true);
  if (refusal) {
    await recordRefusal(context, { action, target: requested.list }, refusal);
    throw refusal;
  }
  const visibility = await exportVisibility(context, requested, replica !== null);
  const rows = await kind.count(services.pool, visibility, requested.filters, exportRowsMax + 1);
  if (rows > exportRowsMax)
    throw invalid('filters', `must match at most ${exportRowsMax} rows, for example those of one month`);
  const now = services.clock.now();
  const id = newId('exp_', now);
  const expiresAt = new Date(now.getTime() + validMs);
  const sealed = sealExport(services.config.fingerprintKey, {
    ...requested,
    id,
    userId: caller.userId,
    mayBeLate: replica !== null,
    expiresAtMs: expiresAt.getTime(),
  });
  if (sealed.length > addressMax) throw invalid('filters', 'must be shorter: use fewer values');
  const { list, mode, partnerSlug, filters } = requested;
  await runAuditedChange(context, { action, target: id }, async ({ audit }) =>
    audit({ action, target: id, after: { list, partnerSlug, filters, rows }, ...(mode && { mode }) }),
  );
  return { id, url: `${services.config.publicUrl}/exports/${sealed}`, rows, rowsMax: exportRowsMax, expiresAt };
}
