import type { TadaDocumentNode } from 'gql.tada';
import type { Right } from './person.tsx';

/** An action that a list offers for the selected rows. Each row is a call of its own. */
export interface BulkAction<Row> {
  /** What the button says, for example `Resend`. */
  name: string;
  right: Right;
  color?: string;
  /** What it does with each row, in a sentence. */
  consequence: string;
  document: TadaDocumentNode<unknown, never>;
  variables(row: Row, reason: string): unknown;
  /** What the report calls a row. */
  nameOf(row: Row): string;
  /** Why the row is skipped; undefined if it is not. */
  skipped?(row: Row): string | undefined;
}

/** Types the variables of an action of selected rows by its document. */
export function bulkAction<Row, Variables>(
  action: Omit<BulkAction<Row>, 'document' | 'variables'> & {
    document: TadaDocumentNode<unknown, Variables>;
    variables(row: Row, reason: string): Variables;
  },
): BulkAction<Row> {
  return action;
}
