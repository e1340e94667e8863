import type { Visibility } from '../../auth/tenancy.ts';
import type { SessionContext } from '../../graph/context.ts';
import { sealingKey } from '../../kit/derived-key.ts';
import { open, seal } from '../../kit/encryption/envelope.ts';
import type { Mode } from '../../kit/mode.ts';
import { operatorVisibility } from '../operators/public.ts';
import type { ExportName } from './export-kinds.ts';

/** What an export is of. */
export interface ExportRequest {
  list: ExportName;
  /** Null for a list of both modes. */
  mode: Mode | null;
  partnerSlug: string | null;
  filters: object;
}

/** An export that was begun, as the address of its file contains it. */
export interface BegunExport extends ExportRequest {
  id: string;
  userId: string;
  /** Whether it may be read from a replica: not just after a change by the person. */
  mayBeLate: boolean;
  expiresAtMs: number;
}

const sealedFor = 'export';

/**
 * Seals an export into a text for an address. Filters contain e-mail addresses, which must not stand in an address, and
 * no one else can make such a text, so that no row is kept for an export.
 */
export function sealExport(fingerprintKey: Buffer, begun: BegunExport): string {
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

/** The rows of the export that are visible to the person now. */
export async function exportVisibility(
  context: SessionContext,
  { mode, partnerSlug }: ExportRequest,
  mayBeLate: boolean,
): Promise<Visibility> {
  const replica = mayBeLate ? context.services.replica : null;
  if (mode === null) return { kind: 'whole', replica };
  return { ...(await operatorVisibility(context, mode, partnerSlug)), replica };
}
