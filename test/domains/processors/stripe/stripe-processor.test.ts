import { inspect } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createStripeProcessor } from '../../../../src/adapters/stripe/stripe-processor.ts';
import { systemClock } from '../../../../src/lib/clock.ts';
import { type Authorization, clearCard, type Outcome, UnknownOutcome } from '../../../../src/ports/card-processor.ts';
import { type StripeStandIn, startStripeStandIn } from '../../../support/stripe/stand-in.ts';
import {
  approvedReference,
  authorizationOf,
  connected,
  connectionWith,
  describeCardProcessor,
  newReference,
} from '../port-suite.ts';

const key = 'sk_test_StandInKeyOfTheSuite';
const connection = connectionWith({}, { secretKey: key });
let standIn: StripeStandIn;
let port: ReturnType<typeof createStripeProcessor>;
/** For requests that are not answered. */
let impatient: ReturnType<typeof createStripeProcessor>;
beforeAll(async () => {
  standIn = await startStripeStandIn([key], ['acct_connected']);
  const settings = { apiBase: standIn.url, clock: systemClock };
  port = createStripeProcessor({ ...settings, timeoutMs: 30_000 });
  impatient = createStripeProcessor({ ...settings, timeoutMs: 1_000 });
});
afterAll(() => standIn?.close());

describeCardProcessor(
  'the stripe processor',
  () => port,
  { approved: '4242424242424242', declined: '4000000000000002', challenged: '4000000000003220' },
  {
    connection,
    answer: (url, authentication) => standIn.answer(url ?? '', authentication),
    keepsFirstAnswer: true,
  },
);

const stripe = () => connected(port, connection);
const unanswered = () => connected(impatient, connection);
const requested = (cardNumber: string, change: Partial<Authorization> = {}) => authorizationOf(cardNumber, change);
const inWords = (outcome: Outcome): string =>
  outcome.result === 'declined' ? `declined ${outcome.failureCode} ${outcome.hard ? 'hard' : 'soft'}` : outcome.result;
const intents = () => [...standIn.ledger(key).intents.values()];
const madeFor = (reference: string) => intents().filter(({ metadata }) => metadata['reference'] === reference);

describe('results of Stripe as results of the port', () => {
  test('automatic | skip | force | merchant-initiated', async () => {
    const outcomes: string[][] = [];
    for (const number of [
      '4242424242424242',
      '4000000000000002',
      '4000000000009995',
      '4000000000009987',
      '4000000000009979',
      '4100000000000019',
      '4000000000000069',
      '4000000000000127',
      '4000000000000119',
      '4000000000003220',
      '4000008400001629',
    ]) {
      const words: string[] = [];
      for (const change of [{}, { threeDs: 'skip' }, { threeDs: 'force' }, { merchantInitiated: true }] as const) {
        const authorization = requested(number, change);
        const first = await stripe().authorize(authorization);
        if (first.result === 'challenge') await standIn.answer(first.url ?? '', 'succeeded');
        words.push(
          first.result === 'challenge'
            ? 'challenge, then ' +
                inWords(
                  await stripe().continueAuthorization({
                    reference: authorization.reference,
                    authentication: 'succeeded',
                  }),
                )
            : inWords(first),
        );
      }
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
          "4000000000009979",
          "declined lost_card hard",
          "declined lost_card hard",
          "challenge, then declined lost_card hard",
          "declined lost_card hard",
        ],
        [
          "4100000000000019",
          "declined card_declined hard",
          "declined card_declined hard",
          "challenge, then declined card_declined hard",
          "declined card_declined hard",
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
          "declined authentication_failed hard",
          "challenge, then approved",
          "declined authentication_failed hard",
        ],
        [
          "4000008400001629",
          "challenge, then declined card_declined soft",
          "declined authentication_failed hard",
          "challenge, then declined card_declined soft",
          "declined authentication_failed hard",
        ],
      ]
    `);
  });

  test('an invalid card is declined without an authorization', async () => {
    const authorization = requested('123456789012345678901');
    expect(await stripe().authorize(authorization)).toMatchObject({
      result: 'declined',
      failureCode: 'card_declined',
      hard: true,
      processorReference: null,
    });
    expect(madeFor(authorization.reference)).toEqual([]);
  });

  test("a rejected request is an error without Stripe's message; so is a wrong key or account, or no key", async () => {
    expect(await stripe().authorize(requested('4242424242424242', { amount: 99_999_999_999 }))).toMatchObject({
      result: 'error',
      message: expect.stringMatching(/^Stripe refused it: parameter_invalid \(400, req_\w+\)\.$/),
    });
    for (const [options, secrets] of [
      [{}, { secretKey: 'sk_test_WrongKey' }],
      [{ accountId: 'acct_foreign' }, { secretKey: key }],
      [{}, {}],
    ] as const) {
      const outcome = await connected(port, connectionWith(options, secrets)).authorize(requested('4242424242424242'));
      expect(outcome).toMatchObject({ result: 'error', processorReference: null });
      expect(JSON.stringify(outcome)).not.toContain('WrongKey');
    }
  });
});

describe('requests to Stripe', () => {
  test('the transaction id is the Idempotency-Key and in the metadata; a connected account is named', async () => {
    const authorization = requested('4242424242424242', { capture: false });
    const at = connected(port, connectionWith({ accountId: 'acct_connected' }, { secretKey: key }));
    const held = approvedReference(await at.authorize(authorization));
    const capture = { reference: newReference(), authorizationReference: held, amount: 1000, currency: 'EUR' };
    await at.capture(capture);
    const sent = standIn.seen.filter(
      ({ headers }) => headers['stripe-account'] === 'acct_connected' && headers['idempotency-key'] !== undefined,
    );
    expect(sent.map(({ path, headers }) => [path, headers['idempotency-key']])).toEqual([
      ['/v1/payment_methods', `${authorization.reference}-card`],
      ['/v1/payment_intents', authorization.reference],
      [`/v1/payment_intents/${held}/capture`, capture.reference],
    ]);
    expect(standIn.ledger(key, 'acct_connected').intents.get(held)).toMatchObject({
      amount_received: 1000,
      metadata: { reference: authorization.reference, capture: capture.reference },
    });
    expect(await at.findModification({ ...capture, type: 'capture' })).toMatchObject({ result: 'approved' });
  });

  test('with an OAuth token the account is the token’s own', async () => {
    const outcome = await connected(
      port,
      connectionWith({ accountId: 'acct_connected' }, { accessToken: key }),
    ).authorize(requested('4242424242424242'));
    expect(outcome.result).toBe('approved');
    expect(standIn.seen.at(-1)?.headers['stripe-account']).toBeUndefined();
  });

  test.each([
    ['USD', 1999, 1999],
    ['JPY', 500, 500],
    ['ISK', 5, 500],
    ['UGX', 5, 500],
    ['MGA', 500, 5],
    ['KWD', 1230, 1230],
  ])('%s: %i of the platform is %i of Stripe', async (currency, ours, theirs) => {
    const authorization = requested('4242424242424242', { currency, amount: ours });
    const captured = approvedReference(await stripe().authorize(authorization));
    expect(standIn.ledger(key).intents.get(captured)).toMatchObject({
      amount: theirs,
      currency: currency.toLowerCase(),
    });
    expect(
      await stripe().refund({ reference: newReference(), authorizationReference: captured, amount: ours, currency }),
    ).toMatchObject({ result: 'approved' });
  });

  test('an amount Stripe cannot represent is an error, and never sent', async () => {
    const before = standIn.seen.length;
    expect(await stripe().authorize(requested('4242424242424242', { currency: 'MGA', amount: 501 }))).toMatchObject({
      result: 'error',
    });
    expect(standIn.seen.length).toBe(before);
  });
});

describe('an unknown outcome', () => {
  const create = /POST \/v1\/payment_intents$/;

  test.each([
    'neverArrives',
    'answerIsLost',
    'fails',
  ] as const)('%s: unknown, posted at most once, and the same call later resolves it', async (fault) => {
    const authorization = requested('4242424242424242');
    standIn.fault(fault, create);
    await expect(unanswered().authorize(authorization)).rejects.toThrow(UnknownOutcome);
    const found = await stripe().find(authorization);
    expect(found.result).toBe(fault === 'answerIsLost' ? 'approved' : 'unseen');
    expect(await stripe().authorize(authorization)).toMatchObject({ result: 'approved' });
    expect(madeFor(authorization.reference)).toHaveLength(1);
  });

  test('a connection that breaks after the charge is resolved with the same key', async () => {
    const authorization = requested('4242424242424242');
    standIn.fault('lineBreaks', create);
    expect(await stripe().authorize(authorization)).toMatchObject({ result: 'approved' });
    expect(madeFor(authorization.reference)).toHaveLength(1);
  });

  test('a server error of Stripe after the charge is unknown; repeated, the charge is the outcome', async () => {
    const authorization = requested('4242424242424242');
    standIn.fault('failsAfterwards', create);
    await expect(stripe().authorize(authorization)).rejects.toThrow(UnknownOutcome);
    expect(await stripe().authorize(authorization)).toMatchObject({ result: 'approved' });
    expect(madeFor(authorization.reference)).toHaveLength(1);
  });

  test('sent again without the security code, erased by then, it is not charged a second time', async () => {
    const authorization = requested('4242424242424242');
    standIn.fault('answerIsLost', create);
    await expect(unanswered().authorize(authorization)).rejects.toThrow(UnknownOutcome);
    const again = {
      ...authorization,
      card: clearCard({ cardNumber: '4242424242424242', expMonth: 12, expYear: 2030, cvc: null }),
    };
    expect(await stripe().authorize(again)).toMatchObject({ result: 'approved' });
    expect(madeFor(authorization.reference)).toHaveLength(1);
  });

  test('429 of Stripe: waits and continues; unknown when it does not end', async () => {
    standIn.fault('tooMany', create, 2);
    expect(await stripe().authorize(requested('4242424242424242'))).toMatchObject({ result: 'approved' });
    standIn.fault('tooMany', create, 6);
    const authorization = requested('4242424242424242');
    await expect(stripe().authorize(authorization)).rejects.toThrow(UnknownOutcome);
    expect(await stripe().find(authorization)).toEqual({ result: 'unseen' });
  });

  test.each(['capture', 'void', 'refund'] as const)('a %s whose answer is lost is found', async (type) => {
    const authorizationReference = approvedReference(
      await stripe().authorize(requested('4242424242424242', { capture: type === 'refund' })),
    );
    const modify = { reference: newReference(), authorizationReference, amount: 1999, currency: 'EUR' };
    standIn.fault(
      'answerIsLost',
      type === 'refund' ? /POST \/v1\/refunds/ : /POST \/v1\/payment_intents\/\w+\/(capture|cancel)/,
    );
    await expect(unanswered()[type](modify)).rejects.toThrow(UnknownOutcome);
    expect(await stripe().findModification({ ...modify, type })).toMatchObject({ result: 'approved' });
    expect(await stripe()[type](modify)).toMatchObject({ result: 'approved' });
  });

  test('neither the error nor its cause contains a card number, a security code or a key', async () => {
    standIn.fault('fails', create);
    const error = await stripe()
      .authorize(requested('4242424242424242'))
      .then(
        () => null,
        (thrown: unknown) => thrown,
      );
    expect(inspect(error, { depth: 12, showHidden: true })).not.toMatch(
      /4242424242424242|StandInKey|\bcvc\b|client_secret/,
    );
  });
});

test('an expired challenge is canceled at Stripe, unless its answer was faster', async () => {
  const authorization = requested('4000000000003220');
  // this card requires a challenge
  const { url } = (await stripe().authorize(authorization)) as Outcome & { result: 'challenge' };
  expect(
    await stripe().continueAuthorization({ reference: authorization.reference, authentication: 'succeeded' }),
  ).toMatchObject({ result: 'challenge', url });
  expect(
    await stripe().continueAuthorization({ reference: authorization.reference, authentication: 'failed' }),
  ).toMatchObject({ result: 'declined', failureCode: 'authentication_failed' });
  await standIn.answer(url ?? '', 'succeeded');
  expect(await stripe().find(authorization)).toMatchObject({ result: 'declined' });
  expect(madeFor(authorization.reference)).toMatchObject([{ status: 'canceled', amount_received: 0 }]);
});

test('a charge far down the list is found by search, once it is indexed', async () => {
  const first = requested('4242424242424242');
  await stripe().authorize(first);
  for (let n = 0; n < 1005; n++)
    standIn.ledger(key).intents.set(`pi_filler${n}`, {
      ...(intents()[0] as never as object),
      id: `pi_filler${n}`,
      created: Math.floor(Date.now() / 1000),
      metadata: {},
    } as never); // of the same shape
  expect(await stripe().find(first)).toEqual({ result: 'unseen' });
  standIn.index();
  expect(await stripe().find(first)).toMatchObject({ result: 'approved' });
});
