import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { resolveUnknownPayments } from '../../src/domains/payments/resolution/resolve.ts';
import { approvedCard, type NastyWorld, startNastyWorld } from '../support/stripe/nasty-world.ts';
import type { NastyAnswer } from '../support/stripe/stand-in.ts';

let world: NastyWorld;
beforeAll(async () => {
  world = await startNastyWorld();
});
afterAll(() => world?.close());

const json =
  (status: number, change: (right: Record<string, unknown>) => unknown, headers = {}): NastyAnswer =>
  ({ body }, response) =>
    void response
      .writeHead(status, { 'content-type': 'application/json', ...headers })
      .end(JSON.stringify(change(structuredClone(body) as Record<string, unknown>))); // any object

const text =
  (status: number, type: string, textOf: (right: string) => string): NastyAnswer =>
  ({ body }, response) =>
    void response.writeHead(status, { 'content-type': type }).end(textOf(JSON.stringify(body)));

const answerBytesMax = 4 * 1024 * 1024;
const chunk = Buffer.alloc(1024 * 1024, ' ');
/** How much the platform took of an endless answer before it closed the connection. */
let takenBytes = 0;
const endless: NastyAnswer = (_right, response) => {
  response.writeHead(200, { 'content-type': 'application/json' });
  takenBytes = 0;
  const more = (): void => {
    while (takenBytes < 100 * chunk.length && !response.destroyed) {
      takenBytes += chunk.length;
      if (!response.write(chunk)) return void response.once('drain', more);
    }
    if (!response.destroyed) response.end();
  };
  more();
};

const error = (type: string, code: string) => () => ({ error: { type, code, message: 'No.' } });

/** Answers to a request that was executed. None of them says what became of it. */
const answers: readonly (readonly [string, NastyAnswer])[] = [
  ['half of the JSON', text(200, 'application/json', (right) => right.slice(0, right.length / 2))],
  ['HTML', text(200, 'text/html', () => '<!doctype html><title>Maintenance</title>')],
  ['nothing', text(200, 'application/json', () => '')],
  ['null', text(200, 'application/json', () => 'null')],
  ['an empty object', json(200, () => ({}))],
  ['200 and a declined card', json(200, error('card_error', 'card_declined'))],
  ['200 and an invalid request', json(200, error('invalid_request_error', 'resource_missing'))],
  ['a redirect', json(302, () => ({}), { location: 'http://127.0.0.1:9/' })],
  [
    'an object of another account',
    json(200, (right) => ({ ...right, id: 'xx_other', metadata: { reference: 'txn_other' } })),
  ],
  ['another amount', json(200, (right) => ({ ...right, amount: 1, amount_received: 1 }))],
  ['another currency', json(200, (right) => ({ ...right, currency: 'eur' }))],
  ['numbers as strings', json(200, (right) => ({ ...right, amount: '1000', amount_received: '1000' }))],
  ['an id that is none', json(200, (right) => ({ ...right, id: { $ne: 1 } }))],
  ['a head and nothing after it', (_right, response) => void response.writeHead(200).write('{')],
  ['4 MiB and a byte', text(200, 'application/json', (right) => right.padEnd(answerBytesMax + 1))],
  ['100 MB', endless],
];

const resolve = async () => {
  world.clock.advance(10_000);
  await resolveUnknownPayments(world.platform.services);
};
const refundsOf = (intentId: string) =>
  [...world.ledger.refunds.values()].filter(({ payment_intent: intent }) => intent === intentId);

describe.each(answers)('an answer of %s leaves the outcome unknown until it is asked for', (_what, nasty) => {
  test('of a charge: 200 and processing, then charged once', async () => {
    world.standIn.fault(nasty, /POST \/v1\/payment_intents$/);
    const { payment, transactions } = await world.account.charge(approvedCard, { amount: 1000 });
    expect(payment).toMatchObject({ status: 'pending', subStatus: 'processing', capturedAmount: 0 });
    await resolve();
    const id = String(payment['id']);
    expect(await world.payment(id)).toMatchObject({ status: 'succeeded', capturedAmount: 1000 });
    expect(await world.eventTypes(id)).toEqual(['payment/created', 'payment/succeeded']);
    expect(await world.postings(id)).toEqual(['merchant_balance USD -1000', 'processor_receivable USD 1000']);
    const made = [...world.ledger.intents.values()].filter(
      ({ metadata }) => metadata['reference'] === transactions[0]?.['id'],
    );
    expect(made).toHaveLength(1);
  });

  test('of a refund: 200 and pending, then refunded once', async () => {
    const { id, intentId } = await world.charged(1000);
    world.standIn.fault(nasty, /POST \/v1\/refunds$/);
    const answer = await world.account.api.call('/payments/refund', { paymentId: id, amount: 400 });
    expect(answer).toMatchObject({ status: 200, body: { refund: { status: 'pending' } } });
    await resolve();
    expect(await world.payment(id)).toMatchObject({ status: 'partially_refunded', refundedAmount: 400 });
    expect(refundsOf(intentId)).toHaveLength(1);
    expect(await world.postings(id)).toContain('refunds USD 400');
  });
});

test('an answer of 4 MiB is read', async () => {
  world.standIn.fault(
    text(200, 'application/json', (right) => right.padEnd(answerBytesMax)),
    /POST \/v1\/payment_intents$/,
  );
  expect((await world.account.charge(approvedCard, { amount: 1000 })).payment).toMatchObject({ status: 'succeeded' });
});

test('of 100 MB the platform takes a few', async () => {
  world.standIn.fault(endless, /POST \/v1\/payment_intents$/);
  await world.account.charge(approvedCard, { amount: 1000 });
  expect(takenBytes).toBeLessThan(50 * chunk.length);
  await resolve();
});

test('a capture and a void that are answered with another state are not done until they are', async () => {
  for (const what of ['capture', 'void'] as const) {
    const { id } = await world.charged(1000, { mode: 'auth' });
    const verb = what === 'void' ? 'cancel' : what;
    world.standIn.fault(
      json(200, (right) => ({ ...right, status: 'requires_capture', amount_received: 0 })),
      new RegExp(`POST /v1/payment_intents/\\w+/${verb}$`),
    );
    const answer = await world.account.api.call(`/payments/${what}`, { paymentId: id });
    expect(answer).toMatchObject({ status: 200, body: { payment: { subStatus: 'processing' } } });
    await resolve();
    expect(await world.payment(id)).toMatchObject({ subStatus: what === 'void' ? 'voided' : 'captured' });
  }
});

test('a decline with a code that is a word of JavaScript is a decline', async () => {
  for (const code of ['constructor', '__proto__', 'toString']) {
    world.standIn.fault(json(402, error('card_error', code)), /POST \/v1\/payment_intents$/);
    const { payment } = await world.account.charge(approvedCard, { amount: 1000 });
    expect(payment).toMatchObject({ status: 'declined', failureCode: 'card_declined' });
  }
});
