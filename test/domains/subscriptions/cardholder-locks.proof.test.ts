import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { setWaits } from '../../../src/database/waits.ts';
import { chargesOf } from '../../support/subscriptions.ts';
import { cardholderWorld } from './cardholder-world.ts';

const world = cardholderWorld();
const { act, cardOf, pastDue, read } = world;
/** Holds the locks. */
let locker: pg.Client;

beforeAll(async () => {
  locker = new pg.Client({ connectionString: world.platform.databaseUrl });
  await locker.connect();
  setWaits(world.platform.services.pool, { lockMs: 2_000 });
});
afterAll(() => locker?.end());

test('503 says that nothing was done only where no card was stored, and a repeat pays once', async () => {
  const entered = await pastDue();
  const confirmed = await pastDue();
  await locker.query('BEGIN');
  await locker.query('SELECT FROM subscriptions WHERE id = ANY($1) FOR UPDATE', [[entered.id, confirmed.id]]);
  const pay = () => act(entered.url, 'pay', cardOf());
  const confirm = () => act(confirmed.url, 'confirm');
  const answers = await Promise.all([pay(), confirm()]);
  await locker.query('ROLLBACK');
  expect(answers.map(({ status, body }) => [status, body.data?.effect])).toEqual([
    [503, 'unknown'],
    [503, 'none'],
  ]);
  expect([(await pay()).status, (await confirm()).status]).toEqual([200, 200]);
  const charges = await chargesOf(world.platform, entered.id);
  expect(charges.filter((charge) => charge.endsWith('succeeded'))).toHaveLength(1);
  expect([(await read(entered.id)).status, (await read(confirmed.id)).latestPayment.status]).toEqual([
    'active',
    'pending',
  ]);
});
