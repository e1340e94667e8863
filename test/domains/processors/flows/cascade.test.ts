import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { verifyLedger } from '../../../../src/domains/ledger/verify-ledger.ts';
import { resolveUnknownPayments } from '../../../../src/domains/payments/resolution/resolve.ts';
import { manualClock } from '../../../../src/lib/clock.ts';
import { usePlatform } from '../../../support/platform.ts';
import { disableRateLimits } from '../../../support/rates.ts';
import { type SeededAccount, seedPartner } from '../../../support/seed.ts';
import { type FaultKind, withLostAnswers } from '../../../support/unreliable-processor.ts';

const clock = manualClock(new Date('2026-05-05T05:05:05Z'));

/** A test that changes shared settings uses a separate account. */
let account: SeededAccount;
/** The faults of the next calls; none unless a test sets them. */
let fates: FaultKind[] = [];
const platform = await usePlatform({ clock });
await disableRateLimits(platform);
withLostAnswers(platform, () => fates.shift() ?? 'answered');
const partner = await seedPartner(platform);
account = await partner.account();
afterAll(async () => {
  expect((await verifyLedger(platform.services)).differences).toEqual([]);
});
afterEach(() => expect(fates).toEqual([]));

/** Processors by letter, with the configuration of each. */
async function processors(...options: object[]): Promise<Record<string, string>> {
  const named: Record<string, string> = {};
  clock.advance(1);
  for (const [index, given] of options.entries())
    named['ABCDE'[index] ?? ''] = (
      await account.api.ok('/processors/create', { name: 'Cards', type: 'test', ...given })
    ).id;
  return named;
}

interface Cascade {
  by: Record<string, string>;
  paymentFlowId: string;
}

/** A cascade from A over B to C, unless configured otherwise. */
async function cascade(options: object[] = [{}, {}, {}], more: object = {}): Promise<Cascade> {
  const by = await processors(...options);
  const [first, ...rest] = Object.values(by);
  const { id: paymentFlowId } = await account.api.ok('/payment-flows/create', {
    name: 'Cascade',
    strategy: 'cascade',
    processors: [{ processorId: first }],
    fallbacks: rest.map((processorId, order) => ({ processorId, order })),
    ...more,
  });
  return { by, paymentFlowId };
}

/**
 * A payment and its attempts as a short string: `succeeded/captured at B: A declined insufficient_funds, B succeeded`.
 */
function inWords(
  { payment, transactions }: Awaited<ReturnType<SeededAccount['charge']>>,
  by: Record<string, string>,
): string {
  const letter = (id: unknown) => Object.keys(by).find((name) => by[name] === id) ?? 'another';
  const attempts = transactions.map(
    ({ processorId, status, failureCode }) =>
      `${letter(processorId)} ${status}${failureCode === null ? '' : ` ${failureCode}`}`,
  );
  const end = [payment['status'], payment['subStatus'], payment['failureCode']]
    .filter((word) => word !== null)
    .join('/');
  const processor = payment['processorId'] === null ? 'none' : letter(payment['processorId']);
  return `${end} at ${processor}: ${attempts.join(', ')}`;
}

const resolveOutcomes = () => {
  clock.advance(60_000);
  return resolveUnknownPayments(platform.services);
};
const eventsOf = async (paymentId: unknown) =>
  (
    await platform.services.prisma.event.findMany({
      where: { objectId: String(paymentId) },
      orderBy: { sequence: 'asc' },
    })
  ).map(({ type }) => type);

describe('a cascade', () => {
  test.each([
    [
      '4000000000009995',
      {},
      'declined/insufficient_funds at C: A declined insufficient_funds, B declined insufficient_funds, C ' +
        'declined insufficient_funds',
    ],
    ['4000000000009987', {}, 'declined/lost_card at A: A declined lost_card'],
    ['4000000000000069', {}, 'declined/expired_card at A: A declined expired_card'],
    ['4000000000000127', {}, 'declined/incorrect_cvc at A: A declined incorrect_cvc'],
    [
      '4000000000000119',
      {},
      'failed/processing_error/processing_error at C: A failed processing_error, B failed processing_error, C ' +
        'failed processing_error',
    ],
    [
      '4000000000009995',
      { maxRetries: 1 },
      'declined/insufficient_funds at B: A declined insufficient_funds, B declined insufficient_funds',
    ],
    ['4000000000009995', { maxRetries: 0 }, 'declined/insufficient_funds at A: A declined insufficient_funds'],
    ['4242424242424242', {}, 'succeeded/captured at A: A succeeded'],
    ['4000000000003220', {}, 'pending/requires_action at A: A requires_action'],
    ['4000000000006975', {}, 'pending/processing at A: A processing'],
  ])('with card %s and %j: %s', async (card, more, expected) => {
    const { by, paymentFlowId } = await cascade(undefined, more);
    const answer = await account.charge(card, { paymentFlowId });
    expect(inWords(answer, by)).toBe(expected);
    expect(await account.api.ok(`/payments/${answer.payment['id']}`)).toEqual(answer);
    if (answer.payment['subStatus'] === 'processing') expect(await resolveOutcomes()).toBe(1);
  });

  test.each([
    ['a soft decline', { declineRate: 1, declineCode: 'insufficient_funds' }, 'A declined insufficient_funds'],
    ['an error', { errorRate: 1 }, 'A failed processing_error'],
  ])('after %s the next processor charges: one event, one journal entry', async (_what, options, attempt) => {
    const { by, paymentFlowId } = await cascade([{ options }, {}]);
    const answer = await account.charge('tok_visa', { paymentFlowId });
    expect(inWords(answer, by)).toBe(`succeeded/captured at B: ${attempt}, B succeeded`);
    expect(new Set(answer.transactions.map(({ id }) => id)).size).toBe(2);
    expect(await eventsOf(answer.payment['id'])).toEqual(['payment/created', 'payment/succeeded']);
    const { rows } = await platform.services.pool.query(
      `SELECT "journalEntryId", sum(amount) FILTER (WHERE amount > 0)::int AS taken
          FROM ledger.postings
          WHERE "paymentId" = $1
          GROUP BY 1`,
      [answer.payment['id']],
    );
    expect(rows).toEqual([{ journalEntryId: answer.transactions[1]?.['id'], taken: 2500 }]);
    const { transactions } = await account.api.ok('/payments/refund', { paymentId: answer.payment['id'] });
    expect(transactions.at(-1)).toMatchObject({ type: 'refund', status: 'succeeded', processorId: by['B'] });
  });

  test('stops at a hard decline of a later processor', async () => {
    const { by, paymentFlowId } = await cascade([
      { options: { errorRate: 1 } },
      { options: { declineRate: 1, declineCode: 'lost_card' } },
      {},
    ]);
    expect(inWords(await account.charge('tok_visa', { paymentFlowId }), by)).toBe(
      'declined/lost_card at B: A failed processing_error, B declined lost_card',
    );
  });

  test('of a card declined at one and failed at the others is declined, not failed', async () => {
    const { by, paymentFlowId } = await cascade([
      { options: { declineRate: 1, declineCode: 'insufficient_funds' } },
      { options: { errorRate: 1 } },
    ]);
    const answer = await account.charge('tok_visa', { paymentFlowId });
    expect(inWords(answer, by)).toBe(
      'declined/insufficient_funds at A: A declined insufficient_funds, B failed processing_error',
    );
    expect(answer.payment['failureMessage']).toBe(
      'The card was declined, and no other processor could process the payment.',
    );
    expect(await eventsOf(answer.payment['id'])).toEqual(['payment/created', 'payment/rejected']);
  });

  test('skips processors that are disabled or do not accept the currency, also in first place', async () => {
    const { by, paymentFlowId } = await cascade([
      { enabled: false },
      { supportedCurrencies: ['EUR'] },
      { options: { errorRate: 1 } },
      {},
    ]);
    expect(inWords(await account.charge('tok_visa', { paymentFlowId }), by)).toBe(
      'succeeded/captured at D: C failed processing_error, D succeeded',
    );
    const none = await cascade([{ enabled: false }, { supportedCurrencies: ['EUR'] }]);
    expect(inWords(await account.charge('tok_visa', { paymentFlowId: none.paymentFlowId }), none.by)).toBe(
      'failed/processing_error/no_processor at none: ',
    );
  });

  test('authorizes, and the capture goes to the processor of the authorization', async () => {
    const { by, paymentFlowId } = await cascade([{ options: { errorRate: 1 } }, {}]);
    const answer = await account.charge('tok_visa', { paymentFlowId, mode: 'auth' });
    expect(inWords(answer, by)).toBe('pending/authorized at B: A failed processing_error, B succeeded');
    expect((await account.api.ok('/payments/capture', { paymentId: answer.payment['id'] })).payment.status).toBe(
      'succeeded',
    );
  });

  test('a later processor may challenge; after that the charge stays with it', async () => {
    const { by, paymentFlowId } = await cascade([{ options: { errorRate: 1 } }, {}, {}]);
    for (const [card, end] of [
      ['4000000000003220', 'succeeded/captured at B: A failed processing_error, B succeeded'],
      ['4000008400001629', 'declined/card_declined at B: A failed processing_error, B declined card_declined'],
    ] as const) {
      const { payment } = await account.charge(card, { paymentFlowId });
      expect(payment['subStatus']).toBe('requires_action');
      const { threedsSessionId } = payment['requireActionData'] as { threedsSessionId: string };
      await fetch(`${platform.url}/test/3ds/${threedsSessionId}`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: '{"outcome":"success"}',
      });
      expect(inWords(await account.api.ok('/payments/continue', { paymentId: payment['id'] }), by)).toBe(end);
    }
  });

  test('does not start when a block rule declines the charge', async () => {
    account = await partner.account();
    const { by, paymentFlowId } = await cascade();
    await account.api.ok('/block-rules', { name: 'No match', emailRegex: '@example' });
    expect(inWords(await account.charge('tok_visa', { paymentFlowId }), by)).toBe('declined/blocked_by_rule at none: ');
  });

  test('200 with the same answer and no further attempt for a repeat under the same key', async () => {
    account = await partner.account();
    const { paymentFlowId } = await cascade([{ options: { errorRate: 1 } }, {}]);
    const { id: paymentInstrumentId } = await account.instrument();
    const call = () =>
      account.api.call(
        '/payments/process',
        { paymentInstrumentId, amount: 900, currency: 'USD', paymentFlowId },
        { headers: { 'Idempotency-Key': 'cascaded' } },
      );
    const answers = await Promise.all([call(), call(), call()]);
    for (const { status, body } of [...answers, await call()]) expect([status, body]).toEqual([200, answers[0]?.body]);
    expect(await platform.services.prisma.transaction.count({ where: { platformAccountId: account.id } })).toBe(2);
  });

  test('keeps the cvc for its processors and erases it with the last', async () => {
    account = await partner.account();
    const cvcs = async () =>
      (
        await platform.services.vaultDatabase.pool.query(
          `SELECT count(*)::int AS n FROM vault.cards WHERE "sealedCvc" IS NOT NULL AND "platformAccountId" = $1`,
          [account.id],
        )
      ).rows[0].n;
    const down = await cascade([{ options: { errorRate: 1 } }, { options: { down: true } }]);
    await account.charge('4000056655665556', { paymentFlowId: down.paymentFlowId });
    expect(await cvcs()).toBe(1);
    await account.api.ok(`/processors/${down.by['B']}`, { options: { down: false } }, { method: 'PUT' });
    expect(await resolveOutcomes()).toBe(1);
    expect(await cvcs()).toBe(0);
  });
});

describe('an unknown outcome', () => {
  test('is not sent to another processor until a job knows that it was an error', async () => {
    const { by, paymentFlowId } = await cascade([{ options: { errorRate: 1 } }, {}]);
    const { id: paymentInstrumentId } = await account.instrument();
    const call = () =>
      account.api.ok(
        '/payments/process',
        { paymentInstrumentId, amount: 900, currency: 'USD', paymentFlowId },
        { headers: { 'Idempotency-Key': 'unknown' } },
      );
    fates = ['answerLost'];
    const first = await call();
    expect(inWords(first, by)).toBe('pending/processing at A: A processing');
    expect(await resolveOutcomes()).toBe(1);
    const { payment, transactions } = await account.api.ok(`/payments/${first.payment.id}`);
    expect(inWords({ payment, transactions }, by)).toBe(
      'succeeded/captured at B: A failed processing_error, B succeeded',
    );
    expect(await call()).toEqual(first);
  });

  test('of a later attempt is queried at its own processor', async () => {
    const { by, paymentFlowId } = await cascade([{ options: { errorRate: 1 } }, {}, {}]);
    fates = ['answered', 'answerLost'];
    const answer = await account.charge('tok_visa', { paymentFlowId });
    expect(inWords(answer, by)).toBe('pending/processing at B: A failed processing_error, B processing');
    expect(await resolveOutcomes()).toBe(1);
    expect(inWords(await account.api.ok(`/payments/${answer.payment['id']}`), by)).toBe(
      'succeeded/captured at B: A failed processing_error, B succeeded',
    );
  });

  test('of an attempt made by a job is left to the next job', async () => {
    const { by, paymentFlowId } = await cascade([{ options: { errorRate: 1 } }, { options: { errorRate: 1 } }, {}]);
    fates = ['answerLost', 'answered', 'neverArrived'];
    const answer = await account.charge('tok_visa', { paymentFlowId });
    expect(await resolveOutcomes()).toBe(0);
    expect(inWords(await account.api.ok(`/payments/${answer.payment['id']}`), by)).toBe(
      'pending/processing at B: A failed processing_error, B processing',
    );
    expect(await resolveOutcomes()).toBe(1);
    expect(inWords(await account.api.ok(`/payments/${answer.payment['id']}`), by)).toBe(
      'succeeded/captured at C: A failed processing_error, B failed processing_error, C succeeded',
    );
  });

  test('that two jobs resolve at once opens one next attempt', async () => {
    const { by, paymentFlowId } = await cascade([{ options: { errorRate: 1 } }, {}, {}]);
    fates = ['answerLost'];
    const answer = await account.charge('tok_visa', { paymentFlowId });
    const transaction = { id: String(answer.transactions[0]?.['id']), askedAt: new Date(0) };
    // Every processor was called in turn, as if the first had been slower than the timeout.
    const workers = Array.from({ length: 6 }, async () => {
      await platform.services.prisma.transaction.updateMany({
        where: { id: transaction.id, status: 'processing' },
        data: { askedAt: transaction.askedAt },
      });
      return resolveUnknownPayments(platform.services);
    });
    const resolved = await Promise.all(workers);
    expect(resolved.reduce((sum, count) => sum + count, 0)).toBe(1);
    expect(inWords(await account.api.ok(`/payments/${answer.payment['id']}`), by)).toBe(
      'succeeded/captured at B: A failed processing_error, B succeeded',
    );
  });
});

describe('which flow routes a charge', () => {
  test("the named processor precedes the named flow, the store's flow, and the oldest processor", async () => {
    account = await partner.account();
    const by = await processors({}, {}, {});
    const flowTo = async (letter: string) =>
      (await account.api.ok('/payment-flows/create', { name: letter, processors: [{ processorId: by[letter] }] })).id;
    const [ofStore, named] = [await flowTo('A'), await flowTo('B')];
    const place = async (more: object) => (await account.charge('tok_visa', { ...more })).payment['processorId'];
    expect(Object.values(by)).not.toContain(await place({}));
    await account.api.ok(`/stores/${account.storeId}`, { paymentFlowId: ofStore }, { method: 'PUT' });
    expect([
      await place({}),
      await place({ paymentFlowId: named }),
      await place({ paymentFlowId: named, processorId: by['C'] }),
    ]).toEqual([by['A'], by['B'], by['C']]);
    const { data } = await account.api.graphql('{ payments { items { processorId paymentFlowId } } }');
    expect(data.payments.items).toEqual(
      expect.arrayContaining([
        { processorId: by['A'], paymentFlowId: ofStore },
        { processorId: by['B'], paymentFlowId: named },
        { processorId: by['C'], paymentFlowId: null },
      ]),
    );
  });

  test('a charge that names its processor does not cascade', async () => {
    const { by, paymentFlowId } = await cascade();
    expect(inWords(await account.charge('4000000000009995', { paymentFlowId, processorId: by['A'] }), by)).toBe(
      'declined/insufficient_funds at A: A declined insufficient_funds',
    );
  });

  test('charges are shared by the weights', async () => {
    const by = await processors({}, {});
    const { id: paymentFlowId } = await account.api.ok('/payment-flows/create', {
      name: 'Shares',
      processors: [
        { processorId: by['A'], weight: 1 },
        { processorId: by['B'], weight: 1 },
      ],
    });
    const { id: paymentInstrumentId } = await account.instrument();
    const places = new Set<unknown>();
    // Forty fair draws are all equal once in 10^12 runs.
    for (let n = 0; n < 40 && places.size < 2; n++)
      places.add(
        (
          await account.api.ok('/payments/process', {
            paymentInstrumentId,
            amount: 100,
            currency: 'USD',
            paymentFlowId,
          })
        ).payment.processorId,
      );
    expect(places.size).toBe(2);
  });

  test('sticky keeps a customer at the first or last approving processor, and moves on if it is disabled', async () => {
    const by = await processors({}, {}, {});
    const { id: paymentFlowId } = await account.api.ok('/payment-flows/create', {
      name: 'Sticky',
      sticky: true,
      processors: Object.values(by).map((processorId) => ({ processorId })),
    });
    const { id: paymentInstrumentId } = await account.instrument('4000000000009995');
    const places = async (instrument: string) => {
      const seen = new Set<string>();
      for (let n = 0; n < 5; n++, clock.advance(1))
        seen.add(
          (
            await account.api.ok('/payments/process', {
              paymentInstrumentId: instrument,
              amount: 100,
              currency: 'USD',
              paymentFlowId,
            })
          ).payment.processorId,
        );
      return [...seen];
    };
    const enable = (id: string | undefined, enabled: boolean) =>
      account.api.ok(`/processors/${id}`, { enabled }, { method: 'PUT' });
    // Declined every time, and always at the same processor.
    expect(await places(paymentInstrumentId)).toHaveLength(1);
    const { id: approved } = await account.instrument();
    const [home] = await places(approved);
    await enable(home, false);
    const [away, ...more] = await places(approved);
    expect([away === home, more]).toEqual([false, []]);
    await enable(home, true);
    expect(await places(approved)).toEqual([away]);
    await account.api.ok('/payments/process', {
      paymentInstrumentId: approved,
      amount: 100,
      currency: 'USD',
      processorId: home,
    });
    clock.advance(1);
    expect(await places(approved)).toEqual([home]);
  });

  test("a flow's threeDs applies if the charge names none, and never to merchant-initiated charges", async () => {
    const by = await processors({});
    const { id: force } = await account.api.ok('/payment-flows/create', {
      name: 'Force',
      processors: [{ processorId: by['A'] }],
      threeDs: 'force',
    });
    const { id: skip } = await account.api.ok('/payment-flows/create', {
      name: 'Skip',
      processors: [{ processorId: by['A'] }],
      threeDs: 'skip',
    });
    const status = async (card: string, more: object) => (await account.charge(card, { ...more })).payment['status'];
    expect(await status('tok_visa', { paymentFlowId: force })).toBe('pending');
    expect(await status('tok_visa', { paymentFlowId: force, threeDs: 'automatic' })).toBe('succeeded');
    expect(await status('tok_visa', { paymentFlowId: force, initiatedBy: 'merchant' })).toBe('succeeded');
    expect(await status('tok_visa', { paymentFlowId: force, processorId: by['A'] })).toBe('succeeded');
    expect(await status('4000000000003220', { paymentFlowId: skip })).toBe('succeeded');
    expect(await status('4000000000003220', { paymentFlowId: skip, threeDs: 'force' })).toBe('pending');
    expect(await status('tok_visa', {})).toBe('succeeded');
  });
});
