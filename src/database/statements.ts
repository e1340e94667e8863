import { createHash } from 'node:crypto';

/**
 * Names of statements, the same for the same text, so that PostgreSQL parses and plans each once a connection. Past
 * `namesMax` texts the rest stay unnamed, so that neither side's memory grows without end.
 */
function statementNames(namesMax: number): (text: string) => string | undefined {
  const names = new Map<string, string>();
  return (text) => {
    const known = names.get(text);
    if (known !== undefined || names.size >= namesMax) return known;
    const name = createHash('sha1').update(text).digest('base64url');
    names.set(text, name);
    return name;
  };
}

export const statementName = statementNames(500);

/** Filters of lists combine into many texts, which must not use up the names of the other statements. */
export const listStatementName = statementNames(500);
