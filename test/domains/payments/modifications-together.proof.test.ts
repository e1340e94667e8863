import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestProcessor } from '../../../src/adapters/test-processor/test-processor.ts';
import { verifyLedger } from '../../../src/domains/ledger/verify-ledger.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import type { CardProcessor } from '../../../src/ports/card-processor.ts';
import type { TestProcessor } from '../../../src/ports/test-processor.ts';
import type { Answer } from '../../support/client.ts';
import { asOwner, freshDatabase } from '../../support/database.ts';
import { startTestPlatform, type TestPlatform } from '../../support/platform.ts';
import { disableRateLimits } from '../../support/rates.ts';
import { type SeededAccount, seedPartner } from '../../support/seed.ts';
import {
  type Call,
  type Case,
  type Kind,
  kinds,
  lost,
  modificationCases,
  refused,
  send,
} from './modification-cases.ts';
import { resolveWhere } from './resolve-where.ts';

let processor: TestProcessor;
let platform: TestPlatform;
let accounts: SeededAccount[];
let toSuspend: SeededAccount;

/** Holds whatever passes until it is opened, and counts it, so that what passes then arrives together. */
function barrier() {
  let opened = Promise.withResolvers<void>();
  opened.resolve();
  const state = {
    waiting: 0,
    close() {
      state.waiting = 0;
      opened = Promise.withResolvers<void>();
    },
    open: () => opened.resolve(),
    async pass(): Promise<void> {
      state.waiting += 1;
      await opened.promise;
    },
  };
  return state;
}
const intents = barrier();
const outcomes = barrier();

function gated(modify: CardProcessor['refund']): CardProcessor['refund'] {
  return async (modification) => {
    const { amount } = modification;
    const outcome =
      amount === refused
        ? { result: 'refused' as const, message: 'Refused.', processorReference: null }
        : await modify(modification);
    await outcomes.pass();
    if (amount === lost) throw new Error('The answer is lost.');
    return outcome;
  };
}

beforeAll(async () => {
  const databaseUrl = await freshDatabase();
  processor = createTestProcessor({ database: databaseUrl, clock: systemClock });
  const { refund, capture, void: release } = processor;
  const unreliable = { ...processor, refund: gated(refund), capture: gated(capture), void: gated(release) };
  platform = await startTestPlatform({ databaseUrl, processors: new Map([['test', unreliable]]) });
  await disableRateLimits(platform);
  const { modificationStatements } = platform.services;
  const { reserve } = modificationStatements;
  modificationStatements.reserve = async (decided) => {
    await intents.pass();
    return reserve(decided);
  };
  const partner = await seedPartner(platform);
  accounts = [await partner.account(), await partner.account()];
  toSuspend = await partner.account();
  for (const account of [...accounts, toSuspend])
    await account.api.ok('/webhooks', {
      url: 'https://example.com/hook',
      eventTypes: ['payment/captured', 'payment/voided', 'payment/refunded'],
    });
  await asOwner(
    platform,
    `
    CREATE FUNCTION poison() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      RAISE EXCEPTION 'a poisoned row';
    END $$;
    CREATE TRIGGER intents_poisoned BEFORE UPDATE ON payments FOR EACH ROW
      WHEN (NEW.metadata->>'kind' = 'poisonedIntent' AND NEW."reservedAmount" > OLD."reservedAmount")
      EXECUTE FUNCTION poison();
    CREATE TRIGGER outcomes_poisoned BEFORE UPDATE ON payments FOR EACH ROW
      WHEN (NEW.metadata->>'kind' = 'poisonedOutcome' AND NEW."reservedAmount" < OLD."reservedAmount")
      EXECUTE FUNCTION poison();`,
  );
});
afterAll(async () => {
  await platform?.close();
  await processor?.close();
});

const { caseOf, setStatus } = modificationCases({
  get platform() {
    return platform;
  },
  get accounts() {
    return accounts;
  },
  get toSuspend() {
    return toSuspend;
  },
});

const isEffect = (answer: string) => answer.startsWith('200') && !answer.endsWith('replayed');

/**
 * Sends all calls of the cases, so that their intents are one batch, and then their outcomes. `between` is called when
 * all intents are committed and no outcome is.
 */
async function sendTogether(cases: readonly Case[], between?: () => Promise<unknown>): Promise<Answer[]> {
  const calls = cases.flatMap((each) => each.calls);
  const apart = cases.reduce((sum, each) => sum + (each.apart ?? 0), 0);
  const effects = cases.flatMap((each) => each.answers).filter(isEffect).length;
  intents.close();
  outcomes.close();
  const answers = calls.map(send);
  await expect.poll(() => intents.waiting).toBe(calls.length - apart);
  for (const { meanwhile } of cases) await meanwhile?.();
  intents.open();
  await expect.poll(() => outcomes.waiting).toBe(effects);
  await between?.();
  await resolveWhere(platform, `p.metadata->>'kind' = 'resolved'`);
  outcomes.open();
  const all = await Promise.all(answers);
  await asOwner(platform, 'ALTER TABLE payments DISABLE TRIGGER outcomes_poisoned');
  await resolveWhere(platform, 'true');
  await asOwner(platform, 'ALTER TABLE payments ENABLE TRIGGER outcomes_poisoned');
  await setStatus('active');
  return all;
}

function wordsOf({ status, body, headers }: Answer): string {
  const word = status === 200 ? (body.refund ?? body.transactions.at(-1)).status : body.data?.reason;
  const replayed = headers.get('idempotent-replayed') === 'true' ? ['replayed'] : [];
  // A refund without an outcome is pending, as is its transaction.
  return [status, ...(word === undefined ? [] : [word]), ...replayed].join(' ');
}

async function expectEachAnswerAlone(picked: readonly Kind[]): Promise<void> {
  const cases: Case[] = [];
  for (const kind of picked) cases.push(await caseOf(kind));
  const answers = await sendTogether(cases);
  const { prisma, pool } = platform.services;
  for (const { paymentId, calls, answers: expected, state } of cases) {
    const own = answers.splice(0, calls.length);
    expect(own.map(wordsOf).sort()).toEqual([...expected].sort());
    const payment = await prisma.payment.findUnique({ where: { id: paymentId }, include: { transactions: true } });
    if (!payment) continue;
    for (const { body } of own) if (body.payment) expect(body.payment.id).toBe(paymentId);
    const { status, subStatus, refundedAmount, reservedAmount, transactions } = payment;
    const states = subStatus === null ? status : `${status}/${subStatus}`;
    expect(`${states} ${refundedAmount} ${reservedAmount}`).toBe(state ?? `${states} ${refundedAmount} 0`);
    const done = transactions.filter((each) => each.type === 'refund' && each.status === 'succeeded');
    expect(done.reduce((sum, { amount }) => sum + amount, 0n)).toBe(refundedAmount);
    expect(refundedAmount).toBeLessThanOrEqual(payment.capturedAmount);
  }
  expect((await verifyLedger(platform.services)).differences).toEqual([]);
  const { rows: broken } = await pool.query(
    `SELECT p.id
    FROM payments p
    LEFT JOIN events e ON e."objectId" = p.id
    GROUP BY p.id
    HAVING array_agg(e.sequence ORDER BY e."createdAt", e.id) <> array(SELECT generate_series(1, p.sequence))
    UNION ALL
    SELECT e.id
    FROM events e
    LEFT JOIN webhook_deliveries d ON d."eventId" = e.id
    WHERE e.type IN ('payment/captured', 'payment/voided', 'payment/refunded')
    GROUP BY e.id
    HAVING count(d.id) <> 1
    UNION ALL
    SELECT o.id
    FROM orders o
    JOIN payments p ON p."orderId" = o.id
    WHERE (p.status = 'refunded') <> (o.status = 'refunded')`,
  );
  expect(broken).toEqual([]);
}

test('each capture, void and refund of a batch has the answer and the rows that it has alone', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.constantFrom(...kinds), { minLength: 2, maxLength: 7 }), expectEachAnswerAlone),
    { numRuns: Number(process.env['PROPERTY_RUNS'] ?? 4), examples: [[[...kinds]]] },
  );
});

test('a row that fails its statement fails no other, in any position of the batch', async () => {
  for (const poison of ['poisonedIntent', 'poisonedOutcome', 'vanished'] as const)
    for (const position of [0, 1, 2]) {
      const batch: Kind[] = ['refund', 'crowd'];
      batch.splice(position, 0, poison);
      await expectEachAnswerAlone(batch);
    }
});

const commits = (rows: string, ids: readonly string[]) =>
  platform.services.pool
    .query<{ n: number }>(`SELECT count(DISTINCT t.xmin::text)::int AS n FROM ${rows}`, [ids])
    .then(({ rows: [row] }) => row?.n);

test('captures, voids and refunds that arrive together are one commit before the processor, and one after it', async () => {
  const cases = [await caseOf('refund'), await caseOf('capture'), await caseOf('void'), await caseOf('withoutKey')];
  const ids = cases.map(({ paymentId }) => paymentId);
  const begun = `transactions t WHERE t."paymentId" = ANY ($1) AND t.status = 'processing'`;
  await sendTogether(cases, async () => expect(await commits(begun, ids)).toBe(1));
  expect(await commits('payments t WHERE t.id = ANY ($1)', ids)).toBe(1);
});

test('refunds of one payment that arrive together are one commit before the processor, and one after it', async () => {
  const crowd = await caseOf('crowd');
  const { paymentId } = crowd;
  const refunds = `transactions t WHERE t."paymentId" = ANY ($1) AND t.type = 'refund'`;
  await sendTogether([crowd], async () => expect(await commits(refunds, [paymentId])).toBe(1));
  expect(await commits(`${refunds} AND t.status = 'succeeded'`, [paymentId])).toBe(1);
  expect(await commits(`events t WHERE t."objectId" = ANY ($1) AND t.type = 'payment/refunded'`, [paymentId])).toBe(1);
});

/** How many statements with a text wait for a lock in the database of this file. */
async function waitingFor(text: string): Promise<number | null> {
  const { rowCount } = await platform.services.pool.query(
    `SELECT FROM pg_stat_activity
    WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE $1`,
    [`%${text}%`],
  );
  return rowCount;
}

test('409: a key that is taken while refunds of one payment are written leaves no other key of theirs taken', async () => {
  const { pool } = platform.services;
  const { paymentId, calls } = await caseOf('both');
  const [first, second] = calls as [Call, Call];
  const other = await pool.connect();
  await other.query('BEGIN');
  await other.query(
    `INSERT INTO idempotency_records (owner, operation, key, "requestHash", answer, "createdAt")
    VALUES ($1, 'refundPayment', $2, 'of another request', '{}', now())`,
    [first.account.id, second.key],
  );
  intents.close();
  const answers = [first, second].map(send);
  await expect.poll(() => intents.waiting).toBe(2);
  intents.open();
  await expect.poll(() => waitingFor('idempotency_records')).toBe(1);
  await other.query('COMMIT');
  other.release();
  expect((await Promise.all(answers)).map(wordsOf)).toEqual(['200 succeeded', '409 idempotency_key_reused']);
  const { rows } = await pool.query(
    `SELECT r.key
    FROM idempotency_records r
    WHERE r.owner = $1 AND r.key = ANY ($2) AND r.answer IS NULL`,
    [first.account.id, [first.key, second.key]],
  );
  expect(rows).toEqual([]);
  const payment = await platform.services.prisma.payment.findUniqueOrThrow({ where: { id: paymentId } });
  expect([payment.refundedAmount, payment.reservedAmount]).toEqual([600n, 0n]);
});

test('a repeat that finds the payment locked for a moment takes nothing of what other refunds have reserved', async () => {
  const { pool } = platform.services;
  const crowd = await caseOf('crowd');
  const repeated: Call = { ...(crowd.calls[0] as Call), body: { ...crowd.calls[0]?.body, amount: 1 }, key: 'repeated' };
  expect(wordsOf(await send(repeated))).toBe('200 succeeded');
  const calls = crowd.calls.slice(0, 3);
  const locker = await pool.connect();
  await sendTogether([{ ...crowd, calls, answers: crowd.answers.slice(0, 3) }], async () => {
    await locker.query('BEGIN');
    await locker.query('SELECT 1 FROM payments WHERE id = $1 FOR UPDATE', [crowd.paymentId]);
    const again = send(repeated);
    await expect.poll(() => waitingFor('FROM payments t')).toBe(1);
    await locker.query('ROLLBACK');
    expect(wordsOf(await again)).toBe('200 succeeded replayed');
    const { reservedAmount } = await platform.services.prisma.payment.findUniqueOrThrow({
      where: { id: crowd.paymentId },
    });
    expect(reservedAmount).toBe(900n);
  });
  locker.release();
  const payment = await platform.services.prisma.payment.findUniqueOrThrow({ where: { id: crowd.paymentId } });
  expect([payment.refundedAmount, payment.reservedAmount]).toEqual([901n, 0n]);
  expect((await verifyLedger(platform.services)).differences).toEqual([]);
});
