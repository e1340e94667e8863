import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { execute, queryRow, queryRows, sql } from '../../database/sql.ts';
import { ConfigError } from '../../settings/config.ts';
import { assertCellsFit, assertFits, assertOtherCell, type Cells, type MoveRequest } from './move-request.ts';
import {
  findLeaving,
  inFlightOf,
  isLockTimeout,
  type LeavingPartner,
  putBack,
  setAside,
  setState,
  stop,
} from './move-source.ts';
import { arrive, copy, dropCopy, hasArrived } from './move-target.ts';

/** What the proxy has to know of a partner that has arrived. */
export interface MovedRoutes {
  keyPrefixes: string[];
  processorIds: string[];
}

/**
 * Moves a partner here from another cell. Each step is one transaction of one database, and the next step follows from
 * what both databases hold: a run that was broken off at any moment is continued by the next, or undone by
 * `abandonMove`.
 */
export function movePartner(request: MoveRequest): Promise<MovedRoutes> {
  return inBothCells(request, async (cells) => {
    const { source, target, say } = cells;
    await assertCellsFit(source, target);
    const partner = await foundIn(cells);
    const { id } = partner;
    if (partner.state === null || partner.state === 'stopped') await leave(cells, partner);
    if (partner.state !== 'moved') {
      if (!(await hasArrived(target, id))) {
        say(`copied: ${await copy(source, target, partner)} rows; counts and digests of all tables agree`);
        await arrive(cells, partner, await tagOf(source));
        say('arrived: foreign keys and the ledger agree; the partner is in service here');
      }
      await setState(source, id, 'moved');
      say('moved: the other cell refuses its keys with 421');
    }
    return routesOf(target, id);
  });
}

/** Puts a partner whose move was broken off into service again where it was. */
export function abandonMove(request: MoveRequest): Promise<void> {
  return inBothCells(request, async (cells) => {
    const { source, target, slug, say } = cells;
    await assertCellsFit(source, target);
    const partner = await foundIn(cells);
    if (partner.state === null) throw new ConfigError(`No move of ${slug} is under way.`);
    if (partner.state === 'moved' || (await hasArrived(target, partner.id)))
      throw new ConfigError(
        `${slug} has arrived here and is in service: run the command without --abandon to finish the move. The way ` +
          'back is a move from here to the other cell.',
      );
    await dropCopy(target, partner.id);
    await putBack(source, partner);
    say('abandoned: the partner is in service in the other cell');
  });
}

async function leave(cells: Cells, partner: LeavingPartner): Promise<void> {
  const { source, say, drainMaxMs, here } = cells;
  const { id, slug, state } = partner;
  if (state === null) {
    await assertFits(partner, cells);
    await stop(source, partner, here.tag, here.now());
    say('stopped: calls with its keys are refused with 503');
  }
  const until = performance.now() + drainMaxMs;
  for (let rows: number | null = null; rows === null; ) {
    rows = (await inFlightOf(source, id)) > 0 ? null : await setAside(source, partner);
    if (rows !== null) say(`set aside: ${rows} rows; its jobs, webhooks and pages rest`);
    else if (performance.now() > until)
      throw new ConfigError(
        `Calls to processors or webhooks of ${slug} are in flight for longer than ${drainMaxMs / 1_000} s. Run the ` +
          'command again to go on, or with --abandon to put the partner into service again.',
      );
    else await delay(pollMs);
  }
}

const pollMs = 200;

async function foundIn({ source, slug }: Cells): Promise<LeavingPartner> {
  const partner = await findLeaving(source, slug);
  if (partner === undefined) throw new ConfigError(`The other cell has no partner ${slug}.`);
  return partner;
}

async function tagOf(source: pg.Client): Promise<string> {
  return (await queryRow<{ tag: string }>(source, sql`SELECT tag FROM cells.own`))?.tag ?? '';
}

/** Keys that another cell has issued, and the processors whose webhooks go to that cell's host. */
async function routesOf(target: pg.Client, id: string): Promise<MovedRoutes> {
  const keys = await queryRows<{ prefix: string }>(
    target,
    sql`SELECT prefix FROM api_keys WHERE "partnerId" = ${id} AND status = 'active' ORDER BY prefix`,
  );
  const processors = await queryRows<{ id: string }>(
    target,
    sql`SELECT id FROM processors WHERE "partnerId" = ${id} AND type <> 'test' ORDER BY id`,
  );
  return { keyPrefixes: keys.map(({ prefix }) => prefix), processorIds: processors.map((row) => row.id) };
}

/** Held in both databases by the command that moves partners. The number is arbitrary and used for nothing else. */
const moveLock = 471_100_007;

/** Two moves in opposite directions would wait for each other without end. */
async function lockMoves(client: pg.Client): Promise<void> {
  await client.query("SET lock_timeout = '60s'");
  try {
    await execute(client, sql`SELECT pg_advisory_lock(${moveLock})`);
  } catch (error) {
    if (!isLockTimeout(error)) throw error;
    throw new ConfigError('Another move is under way in one of the two cells: run the command again when it is over.');
  }
  await client.query('SET lock_timeout = 0');
}

/** Waits for a run that was killed until both servers have ended its last statement. */
async function inBothCells<Result>(request: MoveRequest, run: (cells: Cells) => Promise<Result>): Promise<Result> {
  await using opened = new AsyncDisposableStack();
  const open = async (url: string): Promise<pg.Client> => {
    const client = new pg.Client({ connectionString: url, application_name: 'platform-move' });
    client.on('error', () => {}); // the statement that uses a broken connection fails with the error
    await client.connect();
    opened.defer(() => client.end());
    // Digests must not depend on the settings of the role.
    await client.query(
      "SET statement_timeout = 0; SET DateStyle = 'ISO'; SET TimeZone = 'UTC'; SET bytea_output = 'hex'",
    );
    return client;
  };
  const [source, target] = [await open(request.sourceUrl), await open(request.targetUrl)];
  await assertOtherCell(source, target);
  await lockMoves(source);
  await lockMoves(target);
  // Awaited here: the connections are closed when this function returns.
  return await run({ ...request, source, target });
}
