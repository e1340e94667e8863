import { invalid } from '../lib/errors.ts';

/** The last row of a page. As a cursor it is opaque to clients and contains its list and a hash of its filters. */
export interface Position {
  createdAt: Date;
  id: string;
}

/** The end of the year 9999: JavaScript has times that PostgreSQL does not have. */
const latestMs = 253_402_300_799_999;

export function encodeCursor(list: string, filtersHash: string, last: Position): string {
  return Buffer.from(JSON.stringify([list, filtersHash, new Date(last.createdAt).getTime(), last.id])).toString(
    'base64url',
  );
}

/** The position in a cursor. Rejects a malformed cursor and a cursor of another list or of other filters. */
export function decodeCursor(cursor: string, list: string, filtersHash: string): Position {
  const parts = parse(cursor);
  if (!Array.isArray(parts) || parts.length !== 4) throw invalid('cursor', 'must be a nextCursor of an earlier answer');
  const [ofList, ofFilters, createdAtMs, id] = parts as unknown[]; // checked one by one below
  if (
    ofList !== list ||
    typeof createdAtMs !== 'number' ||
    !Number.isSafeInteger(createdAtMs) ||
    createdAtMs < 0 ||
    createdAtMs > latestMs ||
    typeof id !== 'string' ||
    id.includes('\0')
  ) {
    throw invalid('cursor', 'must be a nextCursor of an earlier answer of this list');
  }
  if (ofFilters !== filtersHash)
    throw invalid('cursor', 'belongs to other filters: repeat the filters of the first call');
  return { createdAt: new Date(createdAtMs), id };
}

function parse(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
  } catch {
    return undefined;
  }
}
