import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Database, openDatabase } from '../../../src/database/database.ts';
import { inTransaction } from '../../../src/database/transaction.ts';
import { createLog } from '../../../src/observability/log.ts';
import { freshDatabase } from '../../support/database.ts';

let database: Database;
const logged: string[] = [];

beforeAll(async () => {
  const log = createLog({ destination: { write: (line: string) => void logged.push(line) } });
  database = await openDatabase({ url: await freshDatabase(), poolSize: 4, log });
});
afterAll(() => database.close());

test('bigint is a number to the pool and stays a bigint to Prisma', async () => {
  const { rows } = await database.pool.query('SELECT 9007199254740991::bigint AS n, now() AS at');
  expect(rows[0].n).toBe(9007199254740991);
  expect(rows[0].at).toBeInstanceOf(Date);
  const [row] = await database.prisma.$queryRaw<
    { n: bigint; at: Date }[]
  >`SELECT 9007199254740993::bigint AS n, now() AS at`;
  expect(row?.n).toBe(9007199254740993n);
  expect(row?.at).toBeInstanceOf(Date);
});

test('a bigint beyond the safe integers is an error, and the connection stays usable', async () => {
  await expect(database.pool.query('SELECT 9007199254740992::bigint AS n')).rejects.toThrow('too large');
  expect((await database.pool.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
});

test("Prisma's statements are prepared by name", async () => {
  const client = await database.pool.connect();
  client.release();
  for (let call = 0; call < 3; call++) await database.prisma.partner.findMany({ take: 1 });
  const { rows } = await database.pool.query(
    `SELECT count(*) AS n FROM pg_prepared_statements WHERE statement LIKE '%"partners"%'`,
  );
  expect(rows[0].n).toBeGreaterThan(0);
});

test('connections that the server closes are replaced', async () => {
  await Promise.all(Array.from({ length: 4 }, () => database.pool.query('SELECT pg_sleep(0.01)')));
  const others = database.pool.totalCount - 1;
  let removed = 0;
  database.pool.on('remove', () => void removed++);
  await database.pool.query(
    'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> ' +
      'pg_backend_pid()',
  );
  await expect
    .poll(async () =>
      database.pool.query('SELECT 1 AS one').then(
        ({ rows }) => rows[0].one,
        () => 0,
      ),
    )
    .toBe(1);
  await expect.poll(() => logged.join('')).toContain('An idle database connection broke.');
  // Until the pool has seen that they are closed it would lend them to the next test.
  await expect.poll(() => removed).toBeGreaterThanOrEqual(others);
});

test('a connection that breaks within a transaction fails that transaction only', async () => {
  const transaction = inTransaction(database.pool, async (client) => {
    const broken = Promise.withResolvers<void>();
    client.once('end', broken.resolve);
    const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    await database.pool.query('SELECT pg_terminate_backend($1)', [rows[0]?.pid]);
    // no query is waiting on it: the failure is emitted as an event, which would end the process if unhandled
    await broken.promise;
    await client.query('SELECT 1');
  });
  await expect(transaction).rejects.toThrow('not queryable');
  expect((await database.pool.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
});
