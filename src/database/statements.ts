import { createHash } from 'node:crypto';

/**
 * Names of statements, the same for the same text, so that PostgreSQL parses and plans each once a connection. A text
 * has its name from its `from`th use on: one that comes once or twice takes none away from those that come often. Past
 * `namesMax` texts the rest stay unnamed, so that neither side's memory grows without end.
 */
export function statementNames(namesMax: number, from = 1): (text: string) => string | undefined {
  const names = new Map<string, string>();
  const uses = new Map<string, number>();
  return (text) => {
    const known = names.get(text);
    if (known !== undefined || names.size >= namesMax) return known;
    const used = (uses.get(text) ?? 0) + 1;
    uses.delete(text);
    if (used < from) {
      uses.set(text, used);
      // The least recently used text is forgotten.
      for (const [oldest] of uses) if (uses.size > namesMax) uses.delete(oldest);
      return undefined;
    }
    const name = createHash('sha1').update(text).digest('base64url');
    names.set(text, name);
    return name;
  };
}

export const statementName = statementNames(500);

/** Filters of lists combine into many texts, which must not use up the names of the other statements. */
export const listStatementName = statementNames(500, 3);
