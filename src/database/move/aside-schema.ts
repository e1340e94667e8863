/** `moved` in the cell that a partner leaves, `arriving` in the other. */
export type AsidePrefix = 'moved' | 'arriving';

/**
 * The schema with the rows of a partner that is moved to another cell. No server reads it, and no backup contains it.
 */
export function asideSchema(partnerId: string, prefix: AsidePrefix): string {
  return `${prefix}_${partnerId}`;
}

/** The names of these schemas, as a regular expression of PostgreSQL. */
export const asideSchemas = '^(moved|arriving)_par_';
