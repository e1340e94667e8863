import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestProcessor } from '../../src/adapters/test-processor/test-processor.ts';
import { verifyLedger } from '../../src/domains/ledger/verify-ledger.ts';
import { resolveTransaction } from '../../src/domains/payments/resolve-transaction.ts';
import type { CardProcessor } from '../../src/ports/card-processor.ts';
import type { TestProcessor } from '../../src/ports/test-processor.ts';
import type { Answer } from '../support/client.ts';
import { asOwner, freshDatabase } from '../support/database.ts';
import { startTestPlatform, type TestPlatform } from '../support/platform.ts';
import { liftRates } from '../support/rates.ts';
import { type SeededAccount, seedPartner } from '../support/seed.ts';

let processor: TestProcessor;
let platform: TestPlatform;
let accounts: SeededAccount[];
let toSuspend: SeededAccount;

/** Holds whatever passes until it is opened, and counts it, so that what passes afterwards arrives together. */
function gate() {
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
const intents = gate();
const outcomes = gate();

/** The processor refuses this amount, and its answer to that one is lost. */
const refused = 111;
const lost = 112;

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
  processor = createTestProcessor({ database: databaseUrl, clock: { now: () => new Date() } });
  const { refund, capture, void: release } = processor;
  const unreliable = { ...processor, refund: gated(refund), capture: gated(capture), void: gated(release) };
  platform = await startTestPlatform({ databaseUrl, processors: new Map([['test', unreliable]]) });
  await liftRates(platform);
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

const kinds = [
  'refund',
  'withoutKey',
  'capture',
  'void',
  'ofOrder',
  'refused',
  'lost',
  'settled',
  'twins',
  'rivals',
  'replayed',
  'reused',
  'both',
  'tooMuch',
  'crowd',
  'crowdWithRepeat',
  'captureOrVoid',
  'disputed',
  'suspended',
  'vanished',
  'blacklisting',
  'poisonedIntent',
  'poisonedOutcome',
] as const;
type Kind = (typeof kinds)[number];

interface Call {
  account: SeededAccount;
  path: 'refund' | 'capture' | 'void';
  body: Record<string, unknown>;
  key?: string;
}

/**
 * The calls of one case on its payment, what happens between their facts and their intents, the answers that they have
 * alone, in any order, and the state of the payment after them.
 */
interface Case {
  paymentId: string;
  calls: Call[];
  answers: string[];
  /** Null if it depends on which call comes first, or if there is no payment any more. */
  state: string | null;
  /** How many of the calls do not decide together with others. Default: none. */
  apart?: number;
  meanwhile?: () => Promise<unknown>;
}

let count = 0;
const instruments = new Map<SeededAccount, string>();

async function charged(account: SeededAccount, kind: Kind, more: object = {}): Promise<string> {
  // A customer on the block list is not charged again.
  const known = kind === 'blacklisting' ? undefined : instruments.get(account);
  const paymentInstrumentId = known ?? (await account.instrument()).id;
  if (kind !== 'blacklisting') instruments.set(account, paymentInstrumentId);
  const metadata = { kind };
  const charge = { paymentInstrumentId, amount: 1000, currency: 'USD', metadata, ...more };
  return (await account.api.ok('/payments/process', charge)).payment.id;
}

async function caseOf(kind: Kind): Promise<Case> {
  const number = ++count;
  const account = accounts[number % accounts.length] as SeededAccount;
  const key = `key ${number}`;
  const isHeld = ['capture', 'void', 'captureOrVoid', 'suspended', 'vanished'].includes(kind);
  const owner = kind === 'suspended' ? toSuspend : account;
  const order =
    kind === 'ofOrder'
      ? await account.api.ok('/orders/create', {
          currency: 'USD',
          items: [{ name: 'Tea', quantity: 1, unitAmount: 1000 }],
        })
      : null;
  const paymentId = await charged(owner, kind, {
    ...(isHeld && { mode: 'auth' }),
    ...(order && { orderId: order.id }),
  });
  const call = (path: Call['path'], more: object = {}, ownKey = key): Call => ({
    account: owner,
    path,
    body: { paymentId, ...more },
    key: ownKey,
  });
  const refund = call('refund', { amount: 600 });
  switch (kind) {
    case 'withoutKey': {
      const { key: _key, ...withoutKey } = refund;
      return { paymentId, calls: [withoutKey], answers: ['200 succeeded'], state: 'partially_refunded 600 0' };
    }
    case 'capture':
      return {
        paymentId,
        calls: [call('capture', { amount: 700 })],
        answers: ['200 succeeded'],
        state: 'succeeded/captured 0 0',
      };
    case 'void':
      return { paymentId, calls: [call('void')], answers: ['200 succeeded'], state: 'failed/voided 0 0' };
    case 'ofOrder':
      return { paymentId, calls: [call('refund')], answers: ['200 succeeded'], state: 'refunded 1000 0' };
    case 'refused':
      return {
        paymentId,
        calls: [call('refund', { amount: refused })],
        answers: ['200 failed'],
        state: 'succeeded/captured 0 0',
      };
    case 'lost':
      return {
        paymentId,
        calls: [call('refund', { amount: lost })],
        answers: ['200 pending'],
        state: `partially_refunded ${lost} 0`,
      };
    case 'twins':
      return {
        paymentId,
        calls: [refund, refund],
        answers: ['200 succeeded', '200 succeeded replayed'],
        state: 'partially_refunded 600 0',
      };
    case 'rivals':
      return {
        paymentId,
        calls: [call('refund', { amount: 300 }), call('refund', { amount: 300, reason: 'Another body.' })],
        answers: ['200 succeeded', '409 idempotency_key_reused'],
        state: 'partially_refunded 300 0',
      };
    case 'replayed':
      await send(refund);
      return {
        paymentId,
        calls: [refund],
        answers: ['200 succeeded replayed'],
        state: 'partially_refunded 600 0',
        apart: 1,
      };
    case 'reused':
      await send(refund);
      return {
        paymentId,
        calls: [call('refund', { amount: 300 })],
        answers: ['409 idempotency_key_reused'],
        state: 'partially_refunded 600 0',
      };
    case 'both':
      return {
        paymentId,
        calls: [refund, call('refund', { amount: 400 }, `${key} again`)],
        answers: ['200 succeeded', '200 succeeded'],
        state: 'refunded 1000 0',
      };
    case 'tooMuch':
      return {
        paymentId,
        calls: [refund, call('refund', { amount: 500 }, `${key} again`)],
        answers: ['200 succeeded', '400'],
        state: null,
      };
    case 'crowd':
      return {
        paymentId,
        calls: [1, 2, 3, 4, 5].map((at) => call('refund', { amount: 300 }, `${key} ${at}`)),
        answers: ['200 succeeded', '200 succeeded', '200 succeeded', '400', '400'],
        state: 'partially_refunded 900 0',
      };
    case 'crowdWithRepeat': {
      const small = (at: number) => call('refund', { amount: 200 }, `${key} ${at}`);
      await send(small(1));
      return {
        paymentId,
        calls: [small(2), small(1), small(3), small(3), small(4)],
        answers: [...Array<string>(3).fill('200 succeeded'), ...Array<string>(2).fill('200 succeeded replayed')],
        state: 'partially_refunded 800 0',
      };
    }
    case 'captureOrVoid':
      return {
        paymentId,
        calls: [call('capture'), call('void')],
        answers: ['200 succeeded', '409 invalid_state'],
        state: null,
      };
    case 'disputed':
      return {
        paymentId,
        calls: [refund],
        answers: ['400'],
        state: 'succeeded/captured 0 0',
        meanwhile: () => account.api.ok('/test-disputes/create', { paymentId, amount: 500 }),
      };
    case 'suspended':
      return {
        paymentId,
        calls: [call('capture')],
        answers: ['403 account_not_active'],
        state: 'pending/authorized 0 0',
        meanwhile: () => setStatus('suspended'),
      };
    case 'vanished':
      return {
        paymentId,
        calls: [call('capture')],
        answers: ['404'],
        state: null,
        meanwhile: () => removePayment(paymentId),
      };
    case 'blacklisting':
      return {
        paymentId,
        calls: [call('refund', { amount: 600, blacklistCustomer: true })],
        answers: ['200 succeeded'],
        state: 'partially_refunded 600 0',
        apart: 1,
      };
    case 'poisonedIntent':
      return { paymentId, calls: [refund], answers: ['500'], state: 'succeeded/captured 0 0' };
    case 'poisonedOutcome':
      return { paymentId, calls: [refund], answers: ['200 pending'], state: 'partially_refunded 600 0' };
    default:
      return { paymentId, calls: [refund], answers: ['200 succeeded'], state: 'partially_refunded 600 0' };
  }
}

const setStatus = (status: string) =>
  platform.services.prisma.processingAccount.update({ where: { id: toSuspend.id }, data: { status } });

async function removePayment(paymentId: string): Promise<void> {
  const condition = 'SELECT id FROM transactions WHERE "paymentId" = $1';
  await asOwner(platform, `DELETE FROM test_processor.charges WHERE reference IN (${condition})`, [paymentId]);
  await asOwner(platform, 'DELETE FROM transactions WHERE "paymentId" = $1', [paymentId]);
  await asOwner(platform, 'DELETE FROM payments WHERE id = $1', [paymentId]);
}

function send({ account, path, body, key }: Call): Promise<Answer> {
  const headers = key === undefined ? {} : { headers: { 'Idempotency-Key': key } };
  return account.api.call(`/payments/${path}`, body, headers);
}

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
  await resolve(`p.metadata->>'kind' = 'settled'`);
  outcomes.open();
  const all = await Promise.all(answers);
  await asOwner(platform, 'ALTER TABLE payments DISABLE TRIGGER outcomes_poisoned');
  await resolve('true');
  await asOwner(platform, 'ALTER TABLE payments ENABLE TRIGGER outcomes_poisoned');
  await setStatus('active');
  return all;
}

/** Records the outcomes of modifications as the job does. */
async function resolve(condition: string): Promise<void> {
  const { rows } = await platform.services.pool.query<{ id: string; type: string; paymentId: string }>(
    `SELECT t.id, t.type, t."paymentId"
    FROM transactions t
    JOIN payments p ON p.id = t."paymentId"
    WHERE t.status = 'processing' AND ${condition}`,
  );
  for (const row of rows) await resolveTransaction(platform.services, row);
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
  const waiting = `SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%idempotency_records%'`;
  await expect.poll(async () => (await pool.query(waiting)).rowCount).toBe(1);
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
    const waiting = `SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%FROM payments t%'`;
    await expect.poll(async () => (await pool.query(waiting)).rowCount).toBe(1);
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
