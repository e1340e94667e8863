import { createHash } from 'node:crypto';

const names = new Map<string, string>();
/** Filters combine into many texts; past this many the rest go unnamed, so that neither side's memory grows without end. */
const namesMax = 500;

/**
 * A name for a statement, the same for the same text, so that PostgreSQL parses and plans it once a connection.
 * Undefined (an unnamed statement) when there are too many already.
 */
export function statementName(text: string): string | undefined {
  const known = names.get(text);
  if (known !== undefined || names.size >= namesMax) return known;
  const name = createHash('sha1').update(text).digest('base64url');
  names.set(text, name);
  return name;
}
