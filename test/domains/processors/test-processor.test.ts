import { inspect } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestProcessor } from '../../../src/adapters/test-processor/test-processor.ts';
import { openPool } from '../../../src/database/pool.ts';
import { manualClock } from '../../../src/lib/clock.ts';
import { type Authorization, type Outcome, UnknownOutcome, withTimeout } from '../../../src/ports/card-processor.ts';
import { type TestProcessor, testCards } from '../../../src/ports/test-processor.ts';
import { freshDatabase } from '../../support/database.ts';
import {
  approvedReference,
  authorizationOf,
  type ConnectedProcessor,
  connected,
  describeCardProcessor,
} from './port-suite.ts';

const clock = manualClock(new Date('2026-03-01T12:00:00.000Z'));
let databaseUrl: string;
let opened: TestProcessor;
let processor: ConnectedProcessor;

beforeAll(async () => {
  databaseUrl = await freshDatabase();
  opened = createTestProcessor({ database: databaseUrl, clock });
  processor = connected(opened);
});
afterAll(() => opened.close());

describeCardProcessor('the test processor', () => opened, {
  approved: '4242424242424242',
  declined: '4000000000000002',
  challenged: '4000000000003220',
});

/** An outcome as a short string: `approved`, `declined lost_card hard`, `challenge`. */
function inWords(outcome: Outcome): string {
  return outcome.result === 'declined'
    ? `declined ${outcome.failureCode} ${outcome.hard ? 'hard' : 'soft'}`
    : outcome.result;
}

async function wordsOf(requested: Authorization): Promise<string> {
  return processor
    .authorize(requested)
    .then(inWords, (error: unknown) => (error instanceof UnknownOutcome ? 'unknown' : String(error)));
}

/** As `wordsOf`, after completing the challenge if there is one. */
async function wordsThrough(requested: Authorization): Promise<string> {
  const first = await wordsOf(requested);
  if (first !== 'challenge') return first;
  const { reference } = requested;
  const earliest = await processor
    .continueAuthorization({ reference, authentication: 'succeeded' })
    .then(inWords, () => 'unknown');
  return `challenge, then ${earliest}`;
}

describe('every test card has the outcome of the contract', () => {
  test('automatic | skip | force | merchant-initiated', async () => {
    const outcomes: string[][] = [];
    for (const number of [...testCards.keys(), '4000056655665556']) {
      const words = [
        await wordsThrough(authorizationOf(number)),
        await wordsThrough(authorizationOf(number, { threeDs: 'skip' })),
        await wordsThrough(authorizationOf(number, { threeDs: 'force' })),
        await wordsThrough(authorizationOf(number, { merchantInitiated: true })),
      ];
      outcomes.push([number, ...words]);
    }
    expect(outcomes).toMatchInlineSnapshot(`
      [
        [
          "4242424242424242",
          "approved",
          "approved",
          "challenge, then approved",
          "approved",
        ],
        [
          "5555555555554444",
          "approved",
          "approved",
          "challenge, then approved",
          "approved",
        ],
        [
          "378282246310005",
          "approved",
          "approved",
          "challenge, then approved",
          "approved",
        ],
        [
          "4000000000000002",
          "declined card_declined soft",
          "declined card_declined soft",
          "challenge, then declined card_declined soft",
          "declined card_declined soft",
        ],
        [
          "4000000000009995",
          "declined insufficient_funds soft",
          "declined insufficient_funds soft",
          "challenge, then declined insufficient_funds soft",
          "declined insufficient_funds soft",
        ],
        [
          "4000000000009987",
          "declined lost_card hard",
          "declined lost_card hard",
          "challenge, then declined lost_card hard",
          "declined lost_card hard",
        ],
        [
          "4000000000000069",
          "declined expired_card hard",
          "declined expired_card hard",
          "challenge, then declined expired_card hard",
          "declined expired_card hard",
        ],
        [
          "4000000000000127",
          "declined incorrect_cvc hard",
          "declined incorrect_cvc hard",
          "challenge, then declined incorrect_cvc hard",
          "declined incorrect_cvc hard",
        ],
        [
          "4000000000000119",
          "error",
          "error",
          "challenge, then error",
          "error",
        ],
        [
          "4000000000003220",
          "challenge, then approved",
          "approved",
          "challenge, then approved",
          "approved",
        ],
        [
          "4000002760003184",
          "challenge, then approved",
          "declined authentication_failed hard",
          "challenge, then approved",
          "declined authentication_failed hard",
        ],
        [
          "4000008400001629",
          "challenge, then declined card_declined soft",
          "declined card_declined soft",
          "challenge, then declined card_declined soft",
          "declined card_declined soft",
        ],
        [
          "4000000000003063",
          "approved",
          "approved",
          "challenge, then approved",
          "approved",
        ],
        [
          "4000000000000341",
          "approved",
          "approved",
          "challenge, then approved",
          "declined card_declined soft",
        ],
        [
          "4000000000000697",
          "approved",
          "approved",
          "challenge, then approved",
          "declined expired_card hard",
        ],
        [
          "4000000000006975",
          "unknown",
          "unknown",
          "challenge, then unknown",
          "unknown",
        ],
        [
          "4000000000000259",
          "approved",
          "approved",
          "challenge, then approved",
          "approved",
        ],
        [
          "4000000000005126",
          "approved",
          "approved",
          "challenge, then approved",
          "approved",
        ],
        [
          "4000056655665556",
          "approved",
          "approved",
          "challenge, then approved",
          "approved",
        ],
      ]
    `);
  });

  test('a challenge that failed declines any card with authentication_failed', async () => {
    for (const number of testCards.keys()) {
      const requested = authorizationOf(number, { threeDs: 'force' });
      await processor.authorize(requested);
      const outcome = await processor.continueAuthorization({
        reference: requested.reference,
        authentication: 'failed',
      });
      expect(inWords(outcome)).toBe('declined authentication_failed hard');
    }
  });
});

describe('the lost answer', () => {
  const lost = '4000000000006975';

  test('is an unknown outcome to the caller, posted once, and find returns it', async () => {
    const requested = authorizationOf(lost);
    await expect(processor.authorize(requested)).rejects.toThrow(UnknownOutcome);
    const found = await processor.find(requested);
    expect(found).toMatchObject({ result: 'approved' });
    expect(await processor.authorize(requested)).toEqual(found);
  });

  test('can be lost after a challenge, and not while the challenge is open', async () => {
    const requested = authorizationOf(lost, { threeDs: 'force' });
    expect(await processor.authorize(requested)).toMatchObject({ result: 'challenge' });
    const answer = { reference: requested.reference, authentication: 'succeeded' } as const;
    await expect(processor.continueAuthorization(answer)).rejects.toThrow(UnknownOutcome);
    expect(await processor.find(requested)).toMatchObject({ result: 'approved' });
    expect(await processor.continueAuthorization(answer)).toMatchObject({ result: 'approved' });
  });
});

describe('no answer at all', () => {
  test('an unreachable processor is an unknown outcome, without the card in the error', async () => {
    const unreachable = createTestProcessor({ database: { host: '127.0.0.1', port: 1 }, clock });
    // A call ends with its timeout: without one it would be repeated for as long as a failover takes.
    const requested = authorizationOf('4000056655665556', { signal: AbortSignal.timeout(600) });
    const error = await unreachable.authorize(requested).then(
      () => null,
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(UnknownOutcome);
    expect(inspect(error, { depth: 9, showHidden: true })).not.toContain('4000056655665556');
    await unreachable.close();
  });

  test('continuing an unknown charge throws', async () => {
    await expect(
      processor.continueAuthorization({ reference: 'txn_none', authentication: 'succeeded' }),
    ).rejects.toThrow(UnknownOutcome);
  });

  test('a call aborted before it was sent posts nothing', async () => {
    const requested = authorizationOf('4242424242424242', { signal: AbortSignal.abort() });
    await expect(processor.authorize(requested)).rejects.toThrow(UnknownOutcome);
    expect(await processor.find({ reference: requested.reference })).toEqual({ result: 'unseen' });
  });

  test('a timeout is an unknown outcome and aborts the call', async () => {
    let signalSeen: AbortSignal | undefined;
    const never = withTimeout('txn_1', 1, (signal) => {
      signalSeen = signal;
      return new Promise(() => {});
    });
    await expect(never).rejects.toThrow('The outcome of txn_1 is unknown: no answer within 1 ms.');
    expect(signalSeen?.aborted).toBe(true);
  });

  test('an answer in time is returned, and an error is thrown', async () => {
    expect(await withTimeout('txn_1', 10_000, async () => 7)).toBe(7);
    await expect(withTimeout('txn_1', 10_000, async () => Promise.reject(new RangeError('x')))).rejects.toThrow(
      RangeError,
    );
  });
});

describe('the records of the processor', () => {
  test('sum what was captured, refunded and authorized by currency, and list every charge once', async () => {
    const own = createTestProcessor({ database: await freshDatabase(), clock });
    const requested = (reference: string, change: Partial<Authorization> = {}, number = '4242424242424242') =>
      own.authorize(authorizationOf(number, { reference, ...change }));
    const first = approvedReference(await requested('txn_a', { amount: 99_999_999_999 }));
    await requested('txn_a', { amount: 99_999_999_999 });
    await connected(own).refund({ reference: 'txn_r', authorizationReference: first, amount: 9, currency: 'EUR' });
    await requested('txn_b', { capture: false });
    await requested('txn_c', {}, '4000000000000002');
    await requested('txn_d', {}, '4000000000003220');
    await requested('txn_e', { currency: 'USD', amount: 5 });
    const voided = approvedReference(await requested('txn_f', { capture: false }));
    await connected(own).void({ reference: 'txn_v', authorizationReference: voided, amount: 1999, currency: 'EUR' });

    const page = await own.processorRecords({ limit: 4 });
    expect(page.totals).toEqual([
      { currency: 'EUR', charges: 5, captured: 99_999_999_999n, refunded: 9n, held: 1999n },
      { currency: 'USD', charges: 1, captured: 5n, refunded: 0n, held: 0n },
    ]);
    const rest = await own.processorRecords({ after: page.next ?? '', limit: 4 });
    const all = [...page.charges, ...rest.charges].map(
      (charge) =>
        `${charge.reference} ${charge.status} ${charge.capturedAmount}-${charge.refundedAmount} of ${charge.amount}`,
    );
    expect(all).toMatchInlineSnapshot(`
      [
        "txn_a captured 99999999999-9 of 99999999999",
        "txn_b authorized 0-0 of 1999",
        "txn_c declined 0-0 of 1999",
        "txn_d challenged 0-0 of 1999",
        "txn_e captured 5-0 of 5",
        "txn_f voided 0-0 of 1999",
      ]
    `);
    expect(rest.next).toBeNull();
    await own.close();
  });

  test('contain the last four digits of a card only', async () => {
    const requested = authorizationOf('4000056655665556');
    await processor.authorize(requested);
    const pool = openPool({ connectionString: databaseUrl });
    const { rows } = await pool.query<{ text: string }>(
      `SELECT c::text AS text FROM test_processor.charges c WHERE "reference" = $1`,
      [requested.reference],
    );
    await pool.end();
    expect(rows[0]?.text).toContain('5556');
    expect(rows[0]?.text).not.toContain('4000056655665556');
  });
});
