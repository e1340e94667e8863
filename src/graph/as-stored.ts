/**
 * The options of a field that is the property of its name, as it was stored, where the type of the row says less than
 * that of the field: a status is a string there, and a JSON column anything. A CHECK constraint limits such a column, or
 * only the write path writes it. Pothos gives the field no resolver, so that a list reads the property itself instead of
 * making a call for each row.
 */
export function asStored<const Name extends string>(name: Name) {
  return {
    extensions: { pothosExposedField: name },
    resolve: (row: { readonly [Key in Name]: unknown }) => row[name] as never,
  };
}
