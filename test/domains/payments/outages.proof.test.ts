import type pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { inTransaction } from '../../../src/database/transaction.ts';
import { verifyLedger } from '../../../src/domains/ledger/verify-ledger.ts';
import type { CardProcessor } from '../../../src/ports/card-processor.ts';
import { dropDatabase, freshDatabase } from '../../support/database.ts';
import { type DatabaseSwitch, openDatabaseSwitch } from '../../support/database-switch.ts';
import { unresolvedCount } from '../../support/ledger.ts';
import { startTestPlatform, type TestPlatform } from '../../support/platform.ts';
import { type SeededAccount, seedPartner } from '../../support/seed.ts';

let database: string;
let line: DatabaseSwitch;
/** Its jobs do not run: what is resolved was resolved by the call. */
let platform: TestPlatform;
let account: SeededAccount;
/** Called with the answer of the processor, before the platform has it. */
let afterAnswer: () => void = () => {};
let requested = 0;

beforeAll(async () => {
  database = await freshDatabase();
  line = await openDatabaseSwitch(database);
  platform = await startTestPlatform({ databaseUrl: line.url });
  account = await (await seedPartner(platform)).account();
  // a Map at run time; only the server must not change it
  const processors = platform.services.processors as Map<string, CardProcessor>;
  const real = processors.get('test') as CardProcessor;
  const reporting =
    <Requested, Answer>(call: (question: Requested) => Promise<Answer>) =>
    async (question: Requested): Promise<Answer> => {
      requested += 1;
      const answer = await call(question);
      afterAnswer();
      return answer;
    };
  processors.set('test', {
    ...real,
    authorize: reporting(real.authorize),
    capture: reporting(real.capture),
    void: reporting(real.void),
    refund: reporting(real.refund),
  });
});
afterAll(async () => {
  await platform?.close();
  await line?.close();
  await dropDatabase(database);
});

type Kind = 'charge' | 'challenged charge' | 'capture' | 'void' | 'refund';

let keys = 0;
interface Call {
  path: string;
  body: object;
  status: string;
}

/** A call that is ready to be made, and the answer that it must get. */
async function callOf(kind: Kind): Promise<Call> {
  if (kind === 'charge' || kind === 'challenged charge') {
    const { id } = await account.instrument(kind === 'charge' ? '4242424242424242' : 'tok_visa_3ds');
    const body = { paymentInstrumentId: id, amount: 700, currency: 'USD' };
    return { path: '/payments/process', body, status: kind === 'charge' ? 'succeeded' : 'pending' };
  }
  const { payment } = await account.charge('tok_visa', { mode: kind === 'refund' ? 'purchase' : 'auth' });
  return {
    path: `/payments/${kind}`,
    body: { paymentId: payment['id'] },
    status: { capture: 'succeeded', void: 'failed', refund: 'refunded' }[kind],
  };
}

async function expectDoneOnce({ path, body, status }: Call, outage: () => Promise<void>): Promise<void> {
  const headers = { 'Idempotency-Key': `outage-${++keys}` };
  requested = 0;
  const over = outage();
  const answer = await account.api.call(path, body, { headers });
  await over;
  afterAnswer = () => {};
  expect([answer.status, answer.body.payment?.status, requested]).toEqual([200, status, 1]);
  const again = await account.api.call(path, body, { headers });
  expect([again.headers.get('Idempotent-Replayed'), again.body]).toEqual(['true', answer.body]);
  const read = await account.api.ok(`/payments/${answer.body.payment.id}`);
  expect(read.payment).toEqual(answer.body.payment);
  const { rows } = await platform.services.pool.query<{ sequence: number }>(
    'SELECT sequence FROM events WHERE "objectId" = $1 ORDER BY sequence',
    [answer.body.payment.id],
  );
  expect(rows.map(({ sequence }) => sequence)).toEqual(rows.map((_row, index) => index + 1));
}

const kinds: Kind[] = ['charge', 'challenged charge', 'capture', 'void', 'refund'];

test.each(
  kinds,
)('200, and done once for a %s whose database goes away after the processor has answered', async (kind) => {
  await expectDoneOnce(await callOf(kind), async () => {
    const refused = line.refused();
    afterAnswer = () => line.cut();
    await refused;
    line.restore();
  });
});

const commits: [Kind, RegExp][] = [
  ['charge', /UPDATE payments t/],
  ['challenged charge', /UPDATE payments t/],
  ['capture', /answered AS/],
  ['void', /answered AS/],
  ['refund', /answered AS/],
];
test.each(
  commits,
)('200, and done once for a %s whose outcome was committed, and the answer lost', async (kind, text) => {
  await expectDoneOnce(await callOf(kind), async () => {
    await new Promise<void>((resolve) => {
      afterAnswer = () => resolve(line.loseAnswerTo(text));
    });
    line.restore();
  });
});

const intents: [Kind, RegExp][] = [
  ['charge', /INSERT INTO payments/],
  ['capture', /begun AS/],
  ['void', /begun AS/],
  ['refund', /begun AS/],
];
test.each(
  intents,
)('200, and done once for a %s whose intent was committed, and the answer lost', async (kind, text) => {
  const call = await callOf(kind);
  const lost = line.loseAnswerTo(text);
  await anotherCommits();
  await expectDoneOnce(call, () => lost.then(() => line.restore()));
});

/**
 * A transaction as those of the jobs beside the call, whose answers are not the ones to lose. Each idle connection is
 * used before, so that the broken ones have left the pool and the call is lent none of them.
 */
async function anotherCommits(): Promise<void> {
  const { pool } = platform.services;
  await Promise.allSettled(Array.from({ length: pool.totalCount }, () => pool.query('SELECT 1')));
  await inTransaction(pool, (client) => client.query('SELECT 1'));
}

// The operating system says so of an open connection, too, when packets have been answered by a router or a firewall.
const networkErrors = ['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH'];
test.each(
  networkErrors.flatMap((code) => intents.map(([kind, text]) => [kind, code, text] as const)),
)('200, and done once for a %s whose intent was committed before its connection broke with %s', async (kind, code, text) => {
  const { pool } = platform.services;
  const call = await callOf(kind);
  const open = new Set<pg.PoolClient>();
  const note = (client: pg.PoolClient) => void open.add(client);
  pool.on('connect', note);
  const lost = line.loseAnswerTo(text, () => {
    for (const { connection } of open) connection.stream.destroy(Object.assign(new Error(`read ${code}`), { code }));
  });
  await anotherCommits();
  await expectDoneOnce(call, () => lost.then(() => line.restore()));
  pool.off('connect', note);
});

test('nothing is left open, and both ledgers agree', async () => {
  expect(await unresolvedCount(platform.services.pool)).toBe(0);
  expect((await verifyLedger(platform.services)).differences).toEqual([]);
});
