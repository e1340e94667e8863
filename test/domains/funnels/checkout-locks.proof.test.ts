import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { setWaits } from '../../../src/database/waits.ts';
import { verifyLedger } from '../../../src/domains/ledger/verify-ledger.ts';
import type { CardProcessor } from '../../../src/ports/card-processor.ts';
import type { Answer } from '../../support/client.ts';
import { delayedProcessor } from '../../support/processor-line.ts';
import { answerBank, checkoutWorld } from './checkout-world.ts';

const world = checkoutWorld();
const { atCheckout, ordersOf, payment, paymentsOf } = world;
/** Holds the locks. */
let locker: pg.Client;

beforeAll(async () => {
  locker = new pg.Client({ connectionString: world.platform.databaseUrl });
  await locker.connect();
  setWaits(world.platform.services.pool, { lockMs: 2_000 });
});
afterAll(() => locker?.end());

const effectOf = ({ status, body }: Answer) => [status, body.data?.effect];

test('503 says that nothing was done only where nothing was stored, and each call is done once when it is repeated', async () => {
  // a Map at run time; only the server must not change it
  const processors = world.platform.services.processors as Map<string, CardProcessor>;
  const real = processors.get('test');
  if (!real) throw new Error('There is no test processor.');
  const line = delayedProcessor(real);
  processors.set('test', line.processor);

  const [ordering, charging, challenged, accepting, declining, leaving] = [
    await atCheckout(),
    await atCheckout(),
    await atCheckout(),
    await atCheckout(),
    await atCheckout(),
    await world.visitor(),
  ];
  const { body } = await challenged.ask('/pay', payment('4000000000003220'));
  await answerBank(body.payment.url, 'success');
  for (const shopper of [accepting, declining]) await shopper.ask('/pay', payment());
  const charge = payment();
  // Its session is free until the processor is asked: the order is stored, and the outcome cannot be applied.
  const held = line.holdNextCall();
  const charged = charging.ask('/pay', charge);
  const release = await held;

  const order = payment();
  const offer = { stepId: 'upsell', attemptId: 'offer' };
  const calls = {
    'pay: the card is stored': () => ordering.ask('/pay', order),
    'pay: the card is charged': () => charging.ask('/pay', charge),
    'continue: the payment is continued': () => challenged.ask('/continue', {}),
    'accept: nothing is stored': () => accepting.ask('/accept', offer),
    'decline: nothing is stored': () => declining.ask('/decline', { stepId: 'upsell' }),
    'next: nothing is stored': () => leaving.ask('/next', { stepId: 'landing' }),
  };
  const shoppers = [ordering, charging, challenged, accepting, declining, leaving];
  await locker.query('BEGIN');
  await locker.query('SELECT FROM funnel_sessions WHERE id = ANY($1) FOR UPDATE', [shoppers.map(({ id }) => id)]);
  release();
  const firsts = Object.entries(calls).map(async ([name, call]) => {
    const answer = await (name === 'pay: the card is charged' ? charged : call());
    return [name, ...effectOf(answer)];
  });
  const answers = await Promise.all(firsts);
  await locker.query('ROLLBACK');
  expect(answers).toEqual(
    Object.keys(calls).map((name) => [name, 503, name.endsWith('nothing is stored') ? 'none' : 'unknown']),
  );

  for (const [name, call] of Object.entries(calls)) expect([name, (await call()).status]).toEqual([name, 200]);
  for (const shopper of [ordering, charging, challenged, declining])
    expect([await ordersOf(shopper.id), await paymentsOf(shopper.id)]).toEqual([['checkout 4900 paid'], 1]);
  expect(await ordersOf(accepting.id)).toEqual(['checkout 4900 paid', 'upsell 1900 paid']);
  expect((await verifyLedger(world.platform.services)).differences).toEqual([]);
});
