import { createHash } from 'node:crypto';
import type pg from 'pg';
import { columnList, constant, execute, type Queryable, queryRows, raw, type Sql, sql } from '../sql.ts';

/** All cards of a database as a number and one digest, the same for the same cards. */
export interface CardsDigest {
  cards: number;
  digest: string;
}

interface Mark {
  id: string;
  digest: string;
}

const types = {
  id: 'text',
  mode: 'text',
  platformAccountId: 'text',
  keyId: 'text',
  wrappedKey: 'bytea',
  sealedCard: 'bytea',
  sealedCvc: 'bytea',
  cvcExpiresAt: 'timestamptz',
  createdAt: 'timestamptz',
  accountBound: 'boolean',
} as const;
export const cardColumns = Object.keys(types) as (keyof typeof types)[];
const pageMax = 1_000;

/** Makes a connection write values in formats that do not depend on the settings of its role. */
export async function fixFormats(client: pg.Client): Promise<void> {
  await client.query(
    "SET TimeZone = 'UTC'; SET DateStyle = 'ISO'; SET bytea_output = 'hex'; SET statement_timeout = 0",
  );
}

/**
 * Makes the cards of `to` equal to those of `from`: copies those that are missing or differ and removes those that
 * `from` does not have. A second run changes only what has changed since. Returns the number of cards that it wrote or
 * removed.
 */
export async function copyCards(from: Queryable, to: Queryable): Promise<number> {
  let changed = 0;
  for await (const [wanted, found] of pages(from, to)) {
    const have = new Map(found.map(({ id, digest }) => [id, digest]));
    const missing = wanted.filter(({ id, digest }) => have.get(id) !== digest).map(({ id }) => id);
    const right = new Set(wanted.map(({ id }) => id));
    const extra = found.filter(({ id }) => !right.has(id)).map(({ id }) => id);
    if (missing.length > 0) await write(to, await readWhole(from, missing));
    if (extra.length > 0) await execute(to, sql`DELETE FROM vault.cards WHERE id = ANY (${extra}::text[])`);
    changed += missing.length + extra.length;
  }
  return changed;
}

/** The digests of both databases, each computed by its own server. */
export async function digestBoth(from: Queryable, to: Queryable): Promise<[CardsDigest, CardsDigest]> {
  const hashes = [createHash('sha256'), createHash('sha256')] as const;
  const counts: [number, number] = [0, 0];
  for await (const page of pages(from, to))
    for (const at of [0, 1] as const) {
      counts[at] += page[at].length;
      for (const { id, digest } of page[at]) hashes[at].update(`${id} ${digest}\n`);
    }
  const [one, other] = hashes.map((hash) => hash.digest('hex'));
  return [
    { cards: counts[0], digest: one ?? '' },
    { cards: counts[1], digest: other ?? '' },
  ];
}

/** Both databases by the same ranges of ids, each with one page of `from`. */
async function* pages(from: Queryable, to: Queryable): AsyncGenerator<[Mark[], Mark[]]> {
  for (let after = ''; ; ) {
    const wanted = await marks(from, sql`id COLLATE "C" > ${after}`, sql`LIMIT ${constant(pageMax)}`);
    const last = wanted.length < pageMax ? null : (wanted.at(-1)?.id ?? null);
    const until = last === null ? raw('') : sql`AND id COLLATE "C" <= ${last}`;
    yield [wanted, await marks(to, sql`id COLLATE "C" > ${after} ${until}`)];
    if (last === null) return;
    after = last;
  }
}

function marks(database: Queryable, where: Sql, limit: Sql = raw('')): Promise<Mark[]> {
  return queryRows<Mark>(
    database,
    sql`
      SELECT id, encode(sha256(convert_to(ROW(${columnList(cardColumns)})::text, 'UTF8')), 'hex') AS digest
      FROM vault.cards
      WHERE ${where}
      ORDER BY id COLLATE "C"
      ${limit}`,
  );
}

type WholeCard = Record<keyof typeof types, unknown>;

function readWhole(from: Queryable, ids: readonly string[]): Promise<WholeCard[]> {
  return queryRows<WholeCard>(
    from,
    sql`SELECT ${columnList(cardColumns)} FROM vault.cards WHERE id = ANY (${ids}::text[])`,
  );
}

async function write(to: Queryable, cards: readonly WholeCard[]): Promise<void> {
  const columns = columnList(cardColumns);
  const values = cardColumns.map((name) => sql`${cards.map((card) => card[name])}::${raw(types[name])}[]`);
  const fresh = cardColumns.map((name) => sql`${columnList([name])} = excluded.${columnList([name])}`);
  await execute(
    to,
    sql`
      INSERT INTO vault.cards (${columns})
      SELECT ${columns}
      FROM unnest(${list(values)}) AS r (${columns})
      ON CONFLICT (id) DO UPDATE SET ${list(fresh)}`,
  );
}

function list(parts: readonly Sql[]): Sql {
  return parts.reduce((all, part) => sql`${all}, ${part}`);
}
