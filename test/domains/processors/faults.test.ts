import { afterAll, describe, expect, test } from 'vitest';
import { createTestProcessor } from '../../../src/adapters/test-processor/test-processor.ts';
import { decideVerdict } from '../../../src/adapters/test-processor/test-verdict.ts';
import { verifyLedger } from '../../../src/domains/ledger/verify-ledger.ts';
import { resolveUnknownPayments } from '../../../src/domains/payments/resolution/resolve.ts';
import { manualClock } from '../../../src/lib/clock.ts';
import { UnknownOutcome } from '../../../src/ports/card-processor.ts';
import { faultsOf, hits, type TestProcessor } from '../../../src/ports/test-processor.ts';
import { freshDatabase } from '../../support/database.ts';
import { usePlatform } from '../../support/platform.ts';
import { withShortTimeout } from '../../support/processor-line.ts';
import { seedPartner } from '../../support/seed.ts';
import { approvedReference, authorizationOf, connected, connectionWith, describeCardProcessor } from './port-suite.ts';

const clock = manualClock(new Date('2026-05-05T05:05:05Z'));

const platform = await usePlatform({ clock });
const processor: TestProcessor = createTestProcessor({ database: await freshDatabase(), clock });
const account = await (await seedPartner(platform)).account();
afterAll(async () => {
  await processor?.close();
});

describe('the switches of a record', () => {
  const judged = (options: object, card = '4242424242424242', change = {}) =>
    decideVerdict(authorizationOf(card, { processor: connectionWith(options as Record<string, unknown>), ...change }));

  test.each([
    [
      'an error comes before all else',
      { errorRate: 1, declineRate: 1, lostAnswerRate: 1 },
      '4000000000009987',
      { challenged: false, verdict: 'error', failureCode: null, answerLost: false },
    ],
    [
      'a decline comes before the card',
      { declineRate: 1 },
      '4242424242424242',
      { challenged: false, verdict: 'declined', failureCode: 'card_declined', answerLost: false },
    ],
    [
      'with its code',
      { declineRate: 1, declineCode: 'lost_card' },
      '4000000000009995',
      { challenged: false, verdict: 'declined', failureCode: 'lost_card', answerLost: false },
    ],
    [
      'and after a challenge',
      { declineRate: 1 },
      '4000000000003220',
      { challenged: true, verdict: 'declined', failureCode: 'card_declined', answerLost: false },
    ],
    [
      'an answer is lost whatever it says',
      { lostAnswerRate: 1 },
      '4000000000009987',
      { challenged: false, verdict: 'declined', failureCode: 'lost_card', answerLost: true },
    ],
    [
      'a code without a rate does nothing',
      { declineCode: 'lost_card' },
      '4242424242424242',
      { challenged: false, verdict: 'approved', failureCode: null, answerLost: false },
    ],
    [
      'rates of 0 do nothing',
      { declineRate: 0, errorRate: 0, lostAnswerRate: 0 },
      '4242424242424242',
      { challenged: false, verdict: 'approved', failureCode: null, answerLost: false },
    ],
  ])('%s', (_what, options, card, expected) =>
    expect(judged(options, card)).toEqual({ ...expected, disputedLater: false, refundsFail: false }));

  test('apply to their share of the references, the same ones every time', () => {
    const references = Array.from({ length: 4_000 }, (_, n) => `txn_${n}`);
    const hit = references.filter((reference) => hits(0.25, 'decline', reference));
    expect(hit.length / references.length).toBeCloseTo(0.25, 1);
    expect(references.filter((reference) => hits(0.25, 'decline', reference))).toEqual(hit);
    // Every switch draws separately: a declined charge need not be one whose answer is lost.
    expect(references.filter((reference) => hits(0.25, 'error', reference))).not.toEqual(hit);
    expect(references.filter((reference) => hits(0.5, 'decline', reference))).toEqual(expect.arrayContaining(hit));
    expect(references.some((reference) => hits(0, 'decline', reference))).toBe(false);
    expect(references.every((reference) => hits(1, 'decline', reference))).toBe(true);
    expect(faultsOf({})).toEqual({
      latencyMs: 0,
      declineRate: 0,
      declineCode: 'card_declined',
      errorRate: 0,
      lostAnswerRate: 0,
      down: false,
    });
  });
});

// A slow answer is still correct.
describeCardProcessor(
  'the test processor with a latency',
  () => processor,
  { approved: '4242424242424242', declined: '4000000000000002', challenged: '4000000000003220' },
  { connection: connectionWith({ latencyMs: 5 }) },
);

describe('at the port', () => {
  test('an outcome stays under its reference when the switches are changed', async () => {
    const requested = authorizationOf('4242424242424242', { processor: connectionWith({ errorRate: 1 }) });
    const first = await processor.authorize(requested);
    expect(first.result).toBe('error');
    expect(await connected(processor).authorize(requested)).toEqual(first);
    expect(await connected(processor).find(requested)).toEqual(first);
  });

  test('down: no call arrives, and no query is answered', async () => {
    const requested = authorizationOf('4242424242424242');
    const down = connected(processor, connectionWith({ down: true }));
    for (const call of [down.authorize(requested), down.find(requested)])
      await expect(call).rejects.toThrow(UnknownOutcome);
    expect(await connected(processor).find(requested)).toEqual({ result: 'unseen' });
  });

  test('a modification that fails is rejected permanently, one whose answer is lost is posted', async () => {
    const authorizationReference = approvedReference(
      await connected(processor).authorize(authorizationOf('4242424242424242')),
    );
    const refund = (reference: string) => ({ reference, authorizationReference, amount: 100, currency: 'EUR' });
    expect(await connected(processor, connectionWith({ errorRate: 1 })).refund(refund('txn_fails'))).toMatchObject({
      result: 'refused',
    });
    expect(await connected(processor).refund(refund('txn_fails'))).toMatchObject({ result: 'refused' });
    await expect(
      connected(processor, connectionWith({ lostAnswerRate: 1 })).refund(refund('txn_lost')),
    ).rejects.toThrow(UnknownOutcome);
    expect(await connected(processor).findModification({ ...refund('txn_lost'), type: 'refund' })).toMatchObject({
      result: 'approved',
    });
  });

  test('a caller that disconnects leaves a charge that is posted', async () => {
    const requested = authorizationOf('4242424242424242');
    const slow = connected(processor, connectionWith({ latencyMs: 30_000 }));
    const caller = new AbortController();
    const disconnected = expect(slow.authorize({ ...requested, signal: caller.signal })).rejects.toThrow(
      UnknownOutcome,
    );
    await expect.poll(async () => (await slow.find(requested)).result).toBe('approved');
    caller.abort();
    await disconnected;
    expect(await slow.find(requested)).toMatchObject({ result: 'approved' });
  });
});

describe('over the API', () => {
  const processorWith = async (options: object) =>
    (await account.api.ok('/processors/create', { name: 'Rehearsal', type: 'test', options })).id;
  const turn = (id: string, options: object) => account.api.call(`/processors/${id}`, { options }, { method: 'PUT' });
  const resolveOutcomes = () => {
    clock.advance(60_000);
    return resolveUnknownPayments(platform.services);
  };
  const states = async (processorId: string, isTooSlow = false) => {
    const charge = () => account.charge('tok_visa', { processorId });
    const { payment } = await (isTooSlow ? withShortTimeout(platform, charge) : charge());
    await resolveOutcomes();
    const later = await account.api.ok(`/payments/${payment['id']}`);
    return [payment['subStatus'] ?? payment['failureCode'], later.payment.subStatus ?? later.payment.failureCode];
  };

  test.each([
    [{ declineRate: 1, declineCode: 'expired_card' }, ['expired_card', 'expired_card']],
    [{ errorRate: 1 }, ['processing_error', 'processing_error']],
    [{ lostAnswerRate: 1 }, ['processing', 'captured']],
    [{ latencyMs: 30_000 }, ['processing', 'captured']],
    [{ down: true }, ['processing', 'processing']],
  ])('%j: immediately, and after a job has queried %j', async (options, expected) => {
    const id = await processorWith(options);
    expect(await states(id, 'latencyMs' in options)).toEqual(expected);
    expect((await turn(id, Object.fromEntries(Object.keys(options).map((name) => [name, null])))).body.options).toEqual(
      {},
    );
    expect(await states(id)).toEqual(['captured', 'captured']);
  });

  test('what was started while it was down is resolved when it is up again: charged and captured once', async () => {
    const id = await processorWith({});
    const { payment } = await account.charge('tok_visa', { processorId: id, mode: 'auth' });
    await turn(id, { down: true });
    expect((await account.api.ok('/payments/capture', { paymentId: payment['id'] })).payment.subStatus).toBe(
      'processing',
    );
    expect(await resolveOutcomes()).toBe(0);
    await turn(id, { down: false });
    await resolveOutcomes();
    expect((await account.api.ok(`/payments/${payment['id']}`)).payment).toMatchObject({
      subStatus: 'captured',
      capturedAmount: 2500,
    });
    expect((await verifyLedger(platform.services)).differences).toEqual([]);
  });

  test('400 naming the switch on both sides of each bound', async () => {
    const id = await processorWith({
      latencyMs: 30_000,
      declineRate: 1,
      errorRate: 0.5,
      lostAnswerRate: 0,
      declineCode: 'insufficient_funds',
      down: false,
    });
    const wrong = {
      latencyMs: [-1, 30_001, 1.5, '1'],
      declineRate: [-0.1, 1.1, '1', true],
      errorRate: [2],
      lostAnswerRate: [[]],
      declineCode: ['processing_error', 1],
      down: ['true', 0],
    };
    for (const [name, values] of Object.entries(wrong)) {
      for (const value of values) {
        const { status, body } = await turn(id, { [name]: value });
        expect([status, body.data.issues[0].path]).toEqual([400, `options.${name}`]);
      }
    }
    expect((await turn(id, { latencyMs: 0, declineRate: 0 })).body.options).toEqual({
      latencyMs: 0,
      declineRate: 0,
      errorRate: 0.5,
      lostAnswerRate: 0,
      declineCode: 'insufficient_funds',
      down: false,
    });
  });

  test('400 for a switch at a live processor', async () => {
    const live = await (await seedPartner(platform, 'live')).account();
    const { status, body } = await live.api.call('/processors/create', {
      name: 'Live',
      type: 'stripe',
      options: { down: true },
    });
    expect([status, body.data.issues[0].path]).toEqual([400, 'options.down']);
  });
});
