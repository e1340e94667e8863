/** The id of a row of the bench, as `idOf` of the rows makes it in SQL. */
export const idOf = (prefix: string, row: number): string => `${prefix}_${String(row).padStart(8, '0')}bench`;
