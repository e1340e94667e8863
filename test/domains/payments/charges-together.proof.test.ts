import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestProcessor } from '../../../src/adapters/test-processor/test-processor.ts';
import { verifyLedger } from '../../../src/domains/ledger/verify-ledger.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import type { Authorization } from '../../../src/ports/card-processor.ts';
import type { TestProcessor } from '../../../src/ports/test-processor.ts';
import type { Answer } from '../../support/client.ts';
import { asOwner, freshDatabase } from '../../support/database.ts';
import { expectCountersToBeTrue, expectEventsToBeWhole, expectLedgersToAgree } from '../../support/ledger.ts';
import { lockTable, untilWaiting } from '../../support/lock-waits.ts';
import { startTestPlatform, type TestPlatform } from '../../support/platform.ts';
import { disableRateLimits } from '../../support/rates.ts';
import { type SeededAccount, seedPartner } from '../../support/seed.ts';
import { resolveWhere } from './resolve-where.ts';

let databaseUrl: string;
let processor: TestProcessor;
let platform: TestPlatform;
let accounts: SeededAccount[];
let toSuspend: SeededAccount;
const cards = new Map<SeededAccount, { approved: string; declined: string; challenged: string }>();

const paymentEvents = ['payment/created', 'payment/succeeded', 'payment/rejected', 'payment/actionRequired'];
/** What the barriers of a run have counted. */
let seen = { requested: 0, answered: 0, intended: 0, authorized: 0 };
/** Authorizations are answered when it resolves, so that all outcomes of a run arrive together. */
let opened: Promise<void> = Promise.resolve();

beforeAll(async () => {
  databaseUrl = await freshDatabase();
  processor = createTestProcessor({ database: databaseUrl, clock: systemClock });
  const gated = {
    ...processor,
    async authorize(authorization: Authorization) {
      const outcome = await processor.authorize(authorization);
      seen.authorized += 1;
      await opened;
      return outcome;
    },
  };
  platform = await startTestPlatform({ databaseUrl, processors: new Map([['test', gated]]) });
  await disableRateLimits(platform);
  const { chargeStatements } = platform.services;
  const { commitIntent } = chargeStatements;
  chargeStatements.commitIntent = async (intent) => {
    seen.requested += 1;
    const isWritten = await commitIntent(intent).finally(() => {
      seen.answered += 1;
    });
    if (isWritten) seen.intended += 1;
    return isWritten;
  };
  const partner = await seedPartner(platform);
  accounts = [await partner.account(), await partner.account()];
  toSuspend = await partner.account();
  for (const account of [...accounts, toSuspend]) {
    const [approved, declined, challenged] = [
      await account.instrument(),
      await account.instrument('4000000000000002'),
      await account.instrument('4000000000003220'),
    ];
    cards.set(account, { approved: approved.id, declined: declined.id, challenged: challenged.id });
    await account.api.ok('/webhooks', { url: 'https://example.com/hook', eventTypes: paymentEvents });
  }
  await asOwner(
    platform,
    `
    CREATE FUNCTION poison() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      RAISE EXCEPTION 'a poisoned row';
    END $$;
    CREATE TRIGGER intents_poisoned BEFORE INSERT ON payments FOR EACH ROW
      WHEN (NEW.metadata->>'kind' = 'poisonedIntent') EXECUTE FUNCTION poison();
    CREATE TRIGGER outcomes_poisoned BEFORE UPDATE ON payments FOR EACH ROW
      WHEN (NEW.metadata->>'kind' = 'poisonedOutcome') EXECUTE FUNCTION poison();`,
  );
});
afterAll(async () => {
  await platform?.close();
  await processor?.close();
});

const kinds = [
  'fresh',
  'withoutKey',
  'declined',
  'challenged',
  'resolved',
  'twins',
  'rivals',
  'replayed',
  'reused',
  'sameOrder',
  'canceledOrder',
  'suspended',
  'vanished',
  'poisonedIntent',
  'poisonedOutcome',
] as const;
type Kind = (typeof kinds)[number];

interface Call {
  account: SeededAccount;
  body: Record<string, unknown>;
  key?: string;
}

/** The calls of one case, what happens before their intents are written, and the answers that each has alone. */
interface Case {
  calls: Call[];
  answers: string[];
  meanwhile?: () => Promise<unknown>;
}

let count = 0;

async function caseOf(kind: Kind): Promise<Case> {
  const number = ++count;
  const account = accounts[number % accounts.length] as SeededAccount;
  const { approved, declined, challenged } = cards.get(account) as {
    approved: string;
    declined: string;
    challenged: string;
  };
  const key = `key ${number}`;
  const body = (paymentInstrumentId = approved) => ({
    paymentInstrumentId,
    amount: 1000 + ++count,
    currency: 'USD',
    metadata: { kind, count: String(count) },
  });
  const one = body();
  switch (kind) {
    case 'withoutKey':
      return { calls: [{ account, body: one }], answers: ['200 succeeded'] };
    case 'declined':
      return { calls: [{ account, body: body(declined), key }], answers: ['200 declined'] };
    case 'challenged':
      return { calls: [{ account, body: body(challenged), key }], answers: ['200 pending'] };
    case 'twins':
      return {
        calls: [
          { account, body: one, key },
          { account, body: one, key },
        ],
        answers: ['200 succeeded', '200 succeeded replayed'],
      };
    case 'rivals':
      return {
        calls: [
          { account, body: one, key },
          { account, body: body(), key },
        ],
        answers: ['200 succeeded', '409 idempotency_key_reused'],
      };
    case 'replayed':
      await send({ account, body: one, key });
      return { calls: [{ account, body: one, key }], answers: ['200 succeeded replayed'] };
    case 'reused':
      await send({ account, body: one, key });
      return { calls: [{ account, body: body(), key }], answers: ['409 idempotency_key_reused'] };
    case 'sameOrder':
    case 'canceledOrder': {
      const items = [{ name: 'Tea', quantity: 1, unitAmount: one.amount }];
      const { id: orderId } = await account.api.ok('/orders/create', { currency: 'USD', items });
      const first = { account, body: { ...one, orderId }, key };
      if (kind === 'canceledOrder')
        return {
          calls: [first],
          answers: ['409 invalid_state'],
          meanwhile: () => account.api.ok('/orders/cancel', { orderId }),
        };
      return {
        calls: [first, { ...first, key: `${key} again` }],
        answers: ['200 succeeded', '409 invalid_state'],
      };
    }
    case 'suspended':
      return {
        calls: [{ account: toSuspend, body: body(cards.get(toSuspend)?.approved), key }],
        answers: ['403 account_not_active'],
        meanwhile: () => setStatus('suspended'),
      };
    case 'vanished': {
      const { id } = await account.instrument();
      return {
        calls: [{ account, body: body(id), key }],
        answers: ['500'],
        meanwhile: () => asOwner(platform, 'DELETE FROM payment_instruments WHERE id = $1', [id]),
      };
    }
    case 'poisonedIntent':
    case 'poisonedOutcome':
      return { calls: [{ account, body: one, key }], answers: ['500'] };
    default:
      return { calls: [{ account, body: one, key }], answers: ['200 succeeded'] };
  }
}

const setStatus = (status: string) =>
  platform.services.prisma.processingAccount.update({ where: { id: toSuspend.id }, data: { status } });

function send({ account, body, key }: Call): Promise<Answer> {
  return account.api.call('/payments/process', body, key === undefined ? {} : { headers: { 'Idempotency-Key': key } });
}

/** Sends all calls of the cases, so that their intents are one batch, and then their outcomes. */
async function sendTogether(cases: readonly Case[]): Promise<Answer[]> {
  const unlock = await lockTable(platform, 'payments', 'SHARE');
  const { promise, resolve: open } = Promise.withResolvers<void>();
  opened = promise;
  seen = { requested: 0, answered: 0, intended: 0, authorized: 0 };
  // The first charge waits for the lock, and the others for its batch.
  const before = send((await caseOf('fresh')).calls[0] as Call);
  await untilWaiting(platform);
  const calls = cases.flatMap((each) => each.calls);
  const answers = calls.map(send);
  await expect.poll(() => seen.requested).toBe(calls.length + 1);
  for (const { meanwhile } of cases) await meanwhile?.();
  await unlock();
  await expect.poll(() => [seen.answered, seen.intended - seen.authorized]).toEqual([calls.length + 1, 0]);
  await resolveWhere(platform, `metadata->>'kind' = 'resolved'`);
  open();
  await before;
  const all = await Promise.all(answers);
  await asOwner(platform, 'ALTER TABLE payments DISABLE TRIGGER outcomes_poisoned');
  await resolveWhere(platform, 'true');
  await asOwner(platform, 'ALTER TABLE payments ENABLE TRIGGER outcomes_poisoned');
  await setStatus('active');
  return all;
}

function wordsOf({ status, body, headers }: Answer): string {
  const word = status === 200 ? body.payment.status : body.data?.reason;
  const replayed = headers.get('idempotent-replayed') === 'true' ? ['replayed'] : [];
  return [status, ...(word === undefined ? [] : [word]), ...replayed].join(' ');
}

async function expectEachAnswerAlone(picked: readonly Kind[]): Promise<void> {
  const cases: Case[] = [];
  for (const kind of picked) cases.push(await caseOf(kind));
  const answers = await sendTogether(cases);
  const { prisma, pool } = platform.services;
  for (const { calls, answers: expected } of cases) {
    const own = answers.splice(0, calls.length);
    expect(own.map(wordsOf).sort()).toEqual([...expected].sort());
    for (const [at, { body }] of own.entries()) {
      const sent = calls[at]?.body;
      const rows = await prisma.payment.findMany({
        where: { metadata: { equals: sent?.['metadata'] as object } },
      });
      if (body.payment) {
        expect(body.payment).toMatchObject({ amount: sent?.['amount'], metadata: sent?.['metadata'] });
        expect(rows).toMatchObject([{ id: body.payment.id, status: body.payment.status }]);
      }
    }
  }
  expect((await verifyLedger(platform.services)).differences).toEqual([]);
  await expectLedgersToAgree(pool);
  await expectEventsToBeWhole(pool);
  await expectCountersToBeTrue(pool);
  const { rows: undelivered } = await pool.query(
    `SELECT e.id FROM events e LEFT JOIN webhook_deliveries d ON d."eventId" = e.id
    WHERE e.type LIKE 'payment/%' GROUP BY e.id HAVING count(d.id) <> 1`,
  );
  expect(undelivered).toEqual([]);
}

test('each charge of a batch has the answer and the rows that it has alone, whatever its neighbors are', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.constantFrom(...kinds), { minLength: 2, maxLength: 7 }), expectEachAnswerAlone),
    { numRuns: Number(process.env['PROPERTY_RUNS'] ?? 4), examples: [[[...kinds]]] },
  );
});

test('a row that fails its statement fails no other, in any position of the batch', async () => {
  for (const poison of ['poisonedIntent', 'poisonedOutcome', 'vanished'] as const)
    for (const position of [0, 1, 2]) {
      const batch: Kind[] = ['fresh', 'fresh'];
      batch.splice(position, 0, poison);
      await expectEachAnswerAlone(batch);
    }
});
