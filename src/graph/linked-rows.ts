import DataLoader from 'dataloader';
import type { Context } from '../call/context.ts';
import { queryRows, type Sql } from '../database/sql.ts';

/** Rows that objects of one kind link to. */
export interface Link {
  /** Identifies the link and its arguments within an operation. */
  name: string;
  /** Reads the rows of several objects. Each row names its object in `linkedTo`. */
  statement(ids: readonly string[]): Sql;
}

const loaders = new WeakMap<Context, Map<string, DataLoader<string, object[]>>>();

/** The rows of one object. Those of all objects of a list are read in one statement. */
export async function linkedRows<Row extends object>(context: Context, link: Link, id: string): Promise<Row[]> {
  const known = loaders.get(context) ?? new Map<string, DataLoader<string, object[]>>();
  loaders.set(context, known);
  const loader =
    known.get(link.name) ?? new DataLoader<string, object[]>((ids) => readRows(context, link, ids), { maxBatchSize });
  known.set(link.name, loader);
  return (await loader.load(id)) as Row[]; // one name has one statement
}

/** As many as two nested lists have. */
const maxBatchSize = 10_000;

async function readRows({ services }: Context, link: Link, ids: readonly string[]): Promise<object[][]> {
  const rows = await queryRows<{ linkedTo: string }>(services.pool, link.statement(ids));
  const byObject = Map.groupBy(rows, ({ linkedTo }) => linkedTo);
  return ids.map((id) => byObject.get(id) ?? []);
}
