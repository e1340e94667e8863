import { randomInt } from 'node:crypto';
import { expect, onTestFailed, test } from 'vitest';
import { setWaits } from '../../src/database/waits.ts';
import { verifyLedger } from '../../src/domains/ledger/verify-ledger.ts';
import { resolveUnknownPayments } from '../../src/domains/payments/resolution/resolve.ts';
import { startTestPlatform, usePlatform } from '../support/platform.ts';
import { type SeededAccount, seedPartner } from '../support/seed.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { type FaultKind, withLostAnswers } from '../support/unreliable-processor.ts';

/**
 * FAULTS_SEED replays a failed run; FAULTS_ROUNDS (of refunds) and FAULTS_RACES (of a capture and a void) make it
 * longer.
 */
const seed = Number(process.env['FAULTS_SEED'] ?? randomInt(2 ** 31));
const rounds = Number(process.env['FAULTS_ROUNDS'] ?? 6);
const races = Number(process.env['FAULTS_RACES'] ?? 12);
const refundsAtOnce = 50;
const captured = 10_000;

const platform = await usePlatform();

/** A new account of a new partner: a round spends most of their rate limits. */
async function freshAccount(): Promise<SeededAccount> {
  return (await seedPartner(platform)).account();
}

async function refundedOf(paymentId: string) {
  const payment = await platform.services.prisma.payment.findUniqueOrThrow({ where: { id: paymentId } });
  const refunds = await platform.services.prisma.refund.findMany({ where: { paymentId } });
  const events = await platform.services.prisma.event.findMany({
    where: { objectId: paymentId },
    orderBy: { sequence: 'asc' },
  });
  return {
    payment,
    refunds,
    sequences: events.map(({ sequence }) => sequence),
    reported: events.filter(({ type }) => type === 'payment/refunded').length,
  };
}

test(`${refundsAtOnce} refunds at once of random amounts never exceed the captured amount`, {
  timeout: 60_000 + rounds * 5_000,
}, async () => {
  onTestFailed(() => console.error(`Replay with FAULTS_SEED=${seed} FAULTS_ROUNDS=${rounds}.`));
  const random = seededRandom(seed);
  let given = 0;
  for (let round = 0; round < rounds; round++) {
    const account = await freshAccount();
    const paymentId = String((await account.charge('tok_visa', { amount: captured })).payment['id']);
    const amounts = Array.from({ length: refundsAtOnce }, () => 1 + Math.floor(random() * (captured / 10)));
    const answers = await Promise.all(
      amounts.map((amount) => account.api.call('/payments/refund', { paymentId, amount })),
    );

    expect(answers.filter(({ status }) => ![200, 400, 409].includes(status))).toEqual([]);
    const real = answers.filter(({ status }) => status === 200).map(({ body }) => body.refund);
    expect(real.every(({ status }) => status === 'succeeded')).toBe(true);
    const { payment, refunds, sequences, reported } = await refundedOf(paymentId);
    const sum = real.reduce((total, { amount }) => total + amount, 0);
    expect(Number(payment.refundedAmount)).toBe(sum);
    expect(sum).toBeLessThanOrEqual(captured);
    expect(Number(payment.reservedAmount)).toBe(0);
    expect(refunds.map(({ id }) => id).sort()).toEqual(real.map(({ id }) => id).sort());
    expect(reported).toBe(real.length);
    expect(sequences).toEqual(sequences.map((_sequence, index) => index + 1));
    // Every rejected refund exceeded the remaining amount.
    const refused = amounts.filter((_amount, index) => answers[index]?.status !== 200);
    expect(refused.every((amount) => sum + amount > captured)).toBe(true);
    given += real.length;
  }
  expect((await verifyLedger(platform.services)).differences).toEqual([]);
  console.info(`${rounds} rounds of ${refundsAtOnce} refunds at once, ${given} given, seed ${seed}`);
});

test('a capture racing a void: one wins, with one event, and ledger and processor agree', {
  timeout: 60_000 + races * 1_000,
}, async () => {
  const winners = { capture: 0, void: 0 };
  const account = await freshAccount();
  for (let round = 0; round < races; round++) {
    if (round % 20 === 0) await platform.services.pool.query('DELETE FROM limits.buckets');
    const paymentId = String((await account.charge('tok_visa', { mode: 'auth' })).payment['id']);
    const order = round % 2 === 0 ? (['capture', 'void'] as const) : (['void', 'capture'] as const);
    const answers = await Promise.all(order.map((what) => account.api.call(`/payments/${what}`, { paymentId })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    const winner = order[answers.findIndex(({ status }) => status === 200)] ?? 'capture';
    winners[winner]++;
    const events = await platform.services.prisma.event.findMany({
      where: { objectId: paymentId },
      orderBy: { sequence: 'asc' },
    });
    expect(events.map(({ type }) => type)).toEqual([
      'payment/created',
      'payment/authorized',
      winner === 'capture' ? 'payment/captured' : 'payment/voided',
    ]);
  }
  expect((await verifyLedger(platform.services)).differences).toEqual([]);
  console.info(`captures won ${winners.capture} times, voids ${winners.void} times`);
});

test('the same key many times at once, for one refund and for several: one effect', { timeout: 60_000 }, async () => {
  const account = await freshAccount();
  const [one, two] = [await account.charge('tok_visa'), await account.charge('tok_visa')].map(({ payment }) =>
    String(payment['id']),
  );
  const bodies = [
    { paymentId: one, amount: 100 },
    { paymentIds: [one, two], amount: 100 },
  ];
  for (const [index, body] of bodies.entries()) {
    const answers = await Promise.all(
      Array.from({ length: 10 }, () =>
        account.api.call('/payments/refund', body, { headers: { 'Idempotency-Key': `at-once-${index}` } }),
      ),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1);
  }
  expect(
    await Promise.all([one, two].map(async (id) => (await account.api.ok(`/payments/${id}`)).payment.refundedAmount)),
  ).toEqual([200, 100]);
});

test.each([
  'answerLost',
  'neverArrived',
] as const)('a modification with an unknown outcome (%s) is resolved and done once', async (fate: FaultKind) => {
  const lossy = await startTestPlatform();
  try {
    const account = await (await seedPartner(lossy)).account();
    const [captureOf, voidOf] = await Promise.all([
      account.charge('tok_visa', { mode: 'auth' }),
      account.charge('tok_visa', { mode: 'auth' }),
    ]);
    const refundOf = await account.charge('tok_visa');
    let down = true;
    const requested = withLostAnswers(lossy, () => (down ? fate : 'answered'));
    const headers = { 'Idempotency-Key': `lost-${fate}` };
    const call = (what: string, { payment }: { payment: Record<string, unknown> }) =>
      account.api.call(
        `/payments/${what}`,
        { paymentId: payment['id'], ...(what !== 'void' && { amount: 500 }) },
        { headers },
      );
    const ways = [
      ['capture', captureOf],
      ['void', voidOf],
      ['refund', refundOf],
    ] as const;
    const first = await Promise.all(ways.map(([what, payment]) => call(what, payment)));
    expect(first.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(first.slice(0, 2).map(({ body }) => body.payment.subStatus)).toEqual(['processing', 'processing']);
    expect(first[2]?.body).toMatchObject({
      refund: { status: 'pending' },
      payment: { status: 'succeeded', refundedAmount: 0 },
    });
    // The amount of a pending refund is reserved.
    expect(
      (await account.api.call('/payments/refund', { paymentId: refundOf.payment['id'], amount: 2001 })).status,
    ).toBe(400);
    expect((await account.api.call('/payments/void', { paymentId: captureOf.payment['id'] })).status).toBe(409);

    down = false;
    await lossy.services.pool.query(
      `UPDATE transactions SET "askedAt" = "askedAt" - interval '1 minute' WHERE status = 'processing'`,
    );
    expect(await resolveUnknownPayments(lossy.services)).toBe(3);
    expect(await resolveUnknownPayments(lossy.services)).toBe(0);
    const payments = await Promise.all(
      ways.map(async ([, { payment }]) => (await account.api.ok(`/payments/${payment['id']}`)).payment),
    );
    expect(payments).toMatchObject([
      { status: 'succeeded', capturedAmount: 500 },
      { status: 'failed', subStatus: 'voided' },
      { status: 'partially_refunded', refundedAmount: 500 },
    ]);
    expect(requested).toMatchObject(
      fate === 'answerLost' ? { capture: 1, void: 1, refund: 1 } : { capture: 2, void: 2, refund: 2 },
    );
    // The repeat returns the answer of the first call.
    const again = await Promise.all(ways.map(([what, payment]) => call(what, payment)));
    expect(again.map(({ body }) => body)).toEqual(first.map(({ body }) => body));
    expect((await verifyLedger(lossy.services)).differences).toEqual([]);
  } finally {
    await lossy.close();
  }
});

test('a server died between intent and answer: the job resolves it, and a repeat returns the outcome', async () => {
  const lossy = await startTestPlatform();
  setWaits(lossy.services.pool, { runningCallMs: 400 });
  try {
    const account = await (await seedPartner(lossy)).account();
    const paymentId = (await account.charge('tok_visa')).payment['id'];
    const headers = { 'Idempotency-Key': 'died' };
    withLostAnswers(lossy, (call) => (call === 'refund' ? 'answerLost' : 'answered'));
    await account.api.ok('/payments/refund', { paymentId, amount: 700 }, { headers });
    // The state after a crash: everything the intent wrote, and no answer.
    await lossy.services.pool.query(`UPDATE idempotency_records SET answer = NULL WHERE operation = 'refundPayment'`);
    expect((await account.api.call('/payments/refund', { paymentId, amount: 700 }, { headers })).body.data.reason).toBe(
      'idempotency_key_in_use',
    );
    await lossy.services.pool.query(
      `UPDATE transactions SET "askedAt" = "askedAt" - interval '1 minute' WHERE status = 'processing'`,
    );
    expect(await resolveUnknownPayments(lossy.services)).toBe(1);
    const repeated = await account.api.call('/payments/refund', { paymentId, amount: 700 }, { headers });
    expect(repeated.headers.get('Idempotent-Replayed')).toBe('true');
    expect(repeated.body).toMatchObject({
      refund: { amount: 700, status: 'succeeded' },
      payment: { refundedAmount: 700 },
    });
    expect((await verifyLedger(lossy.services)).differences).toEqual([]);
  } finally {
    await lossy.close();
  }
});
