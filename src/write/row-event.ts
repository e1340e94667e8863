import type { EventType } from '../domains.ts';
import type { Mode } from '../kit/mode.ts';
import type { EventDraft } from './records.ts';

/** The row of a resource: its owner and its counter of changes. */
interface ResourceRow {
  id: string;
  partnerId: string;
  platformAccountId: string;
  storeId: string | null;
  mode: string;
  sequence: number;
}

/** The event of a change of a row, with the resource as the API answers it after the change. */
export function rowEvent(
  type: EventType,
  { id: objectId, partnerId, platformAccountId, storeId, mode, sequence }: ResourceRow,
  object: object,
): EventDraft {
  // a CHECK constraint or a foreign key holds mode to the two of its account
  return { type, partnerId, platformAccountId, mode: mode as Mode, storeId, objectId, sequence, object };
}
