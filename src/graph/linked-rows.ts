import DataLoader from 'dataloader';
import type { Context } from '../call/context.ts';
import { queryRows, type Sql } from '../database/sql.ts';

/** The rows that objects of one kind lead to. */
export interface Link {
  /** Distinguishes the links of an operation, with their arguments. */
  name: string;
  /** Reads the rows of several objects. Each row names its object in `linkedTo`. */
  statement(ids: readonly string[]): Sql;
}

const loaders = new WeakMap<Context, Map<string, DataLoader<string, object[]>>>();

/** The rows of one object. The objects of a list that an operation returns are asked for in one statement. */
export async function linkedRows<Row extends object>(context: Context, link: Link, id: string): Promise<Row[]> {
  const known = loaders.get(context) ?? new Map<string, DataLoader<string, object[]>>();
  loaders.set(context, known);
  const loader =
    known.get(link.name) ?? new DataLoader<string, object[]>((ids) => readRows(context, link, ids), { maxBatchSize });
  known.set(link.name, loader);
  return (await loader.load(id)) as Row[]; // one name has one statement
}

/** As many as a page of pages has. */
const maxBatchSize = 10_000;

async function readRows({ services }: Context, link: Link, ids: readonly string[]): Promise<object[][]> {
  const rows = await queryRows<{ linkedTo: string }>(services.pool, link.statement(ids));
  const byObject = Map.groupBy(rows, ({ linkedTo }) => linkedTo);
  return ids.map((id) => byObject.get(id) ?? []);
}
