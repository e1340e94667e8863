import type pg from 'pg';
import type { Tracing } from '../runtime/tracing.ts';

type Query = (...given: unknown[]) => Promise<unknown>;

/** Records each statement of a call as a span: its kind and first table, and neither its text nor its values. */
export function traceStatements(pool: pg.Pool, tracing: Tracing): void {
  if (!tracing.isOn) return;
  const traced = new WeakSet<pg.PoolClient>();
  const trace = (asked: Query): Query =>
    function query(...given) {
      // The pool itself asks its clients with a callback, for statements that are recorded already.
      if (typeof given.at(-1) === 'function') return asked(...given);
      const summary = summaryOf(given[0]);
      return tracing.span(summary, { 'db.system.name': 'postgresql', 'db.query.summary': summary }, () =>
        asked(...given),
      );
    };
  pool.query = trace(pool.query.bind(pool)) as typeof pool.query;
  const connect = pool.connect.bind(pool) as (...given: unknown[]) => Promise<pg.PoolClient> | undefined;
  const connectTraced = (...given: unknown[]) => {
    if (given.length > 0) return connect(...given);
    return connect()?.then((client) => {
      if (!traced.has(client)) client.query = trace(client.query.bind(client)) as typeof client.query;
      traced.add(client);
      return client;
    });
  };
  pool.connect = connectTraced as typeof pool.connect;
}

/** Such as `INSERT payments`. */
function summaryOf(statement: unknown): string {
  const text = typeof statement === 'string' ? statement : (statement as { text?: string }).text;
  const [, kind = 'statement'] = /^\s*([A-Za-z]+)/.exec(text ?? '') ?? [];
  const [, table] = /\b(?:from|into|update|join)\s+"?([A-Za-z_]+"?(?:\."?[A-Za-z_]+"?)?)/i.exec(text ?? '') ?? [];
  return [kind.toUpperCase(), ...(table === undefined ? [] : [table.replaceAll('"', '')])].join(' ');
}
