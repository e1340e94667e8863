import { ask } from '../graph/ask.ts';
import { pagedRowsMax } from './format.ts';
import type { ListDefinition } from './list-definition.ts';

/** The rows of a request: the most that a list answers. */
const pageSize = 100;

/** Every row that a list has pages for, with the variables of one of its pages. A row that moved to another page is once. */
export async function allRows<Row, Variables>(
  { document, keyOf }: ListDefinition<Row, Variables>,
  variables: Variables,
): Promise<Row[]> {
  const rows = new Map<string, Row>();
  for (let page = 1; page <= pagedRowsMax / pageSize; page += 1) {
    const offset = (page - 1) * pageSize;
    const { list } = await ask(document, { ...variables, page, pageSize, limit: pageSize, offset });
    for (const row of list?.items ?? []) rows.set(keyOf(row), row);
    if ((list?.items.length ?? 0) < pageSize) break;
  }
  return [...rows.values()];
}
