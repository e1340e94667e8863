import { expect } from 'vitest';
import { verifyLedger } from '../../../src/domains/ledger/verify-ledger.ts';
import { manualClock } from '../../../src/lib/clock.ts';
import { expectDisputeEventsToBeWhole } from '../ledger.ts';
import { startTestPlatform, type TestPlatform } from '../platform.ts';
import { type SeededAccount, seedPartner } from '../seed.ts';
import { sendEvent } from './events.ts';
import { emit, type Ledger, newStripeId, type StripeEvent } from './ledger.ts';
import { type StripeStandIn, startStripeStandIn } from './stand-in.ts';

const key = 'sk_live_UnspokenKeyOfTheNasty';
const secret = 'whsec_UnspokenSecretOfTheNasty';
/** A card that the stand-in approves. */
export const approvedCard = '4111111111111111';

/** A live account whose only processor is the Stripe stand-in, and what a nasty processor needs. */
export interface NastyWorld {
  clock: ReturnType<typeof manualClock>;
  platform: TestPlatform;
  standIn: StripeStandIn;
  account: SeededAccount;
  processorId: string;
  ledger: Ledger;
  webhookSecret: string;
  /** Sends an object in an event, as if it had just changed. */
  tell(type: string, object: object, change?: Partial<StripeEvent>): Promise<Reported>;
  /** The same bytes again, also to another processor's address. */
  send(event: object, processorId?: string): Promise<Reported>;
  /** A captured payment, with the id of its payment intent. */
  charged(amount: number, more?: object): Promise<{ id: string; intentId: string; transactionId: string }>;
  payment(id: string): Promise<Record<string, unknown>>;
  /** The sums of its postings, as `account currency amount`. */
  postings(paymentId: string): Promise<string[]>;
  eventTypes(objectId: string): Promise<string[]>;
  disputes(paymentId: string): Promise<Record<string, unknown>[]>;
  /** Verifies the ledger and that no secret and no card number was logged or stored, then closes. */
  close(): Promise<void>;
}

interface Reported {
  status: number;
  result: string | undefined;
}

export async function startNastyWorld(): Promise<NastyWorld> {
  // loaded on first use, which must not count towards the limit of a call
  await import('../../../src/adapters/stripe/stripe-processor.ts');
  const clock = manualClock(new Date());
  const standIn = await startStripeStandIn([key]);
  const platform = await startTestPlatform({
    clock,
    env: { STRIPE_API_BASE: standIn.url, PROCESSOR_TIMEOUT_MS: '3000' },
  });
  const { pool, prisma } = platform.services;
  const account = await (await seedPartner(platform, 'live')).account();
  const { id: processorId } = await account.api.ok('/processors/create', {
    name: 'Stripe',
    type: 'stripe',
    options: { secretKey: key, webhookSecret: secret },
  });
  const ledger = standIn.ledger(key);

  async function send(event: object, to = processorId): Promise<Reported> {
    const target = { url: `${platform.url}/hooks/processors/stripe?processor=${to}`, secret };
    const answer = await sendEvent(event as StripeEvent, target); // nasty events have any shape
    const body = (await answer.json()) as { result?: string };
    return { status: answer.status, result: body.result };
  }

  return {
    clock,
    platform,
    standIn,
    account,
    processorId,
    ledger,
    webhookSecret: secret,
    send,
    tell(type, object, change = {}) {
      clock.advance(1); // so that what operators see is in the order of the events
      emit(ledger, type, object);
      return send({ ...ledger.events.at(-1), id: newStripeId('evt'), ...change });
    },
    async charged(amount, more = {}) {
      const { payment, transactions } = await account.charge(approvedCard, { amount, ...more });
      return {
        id: String(payment['id']),
        intentId: String(transactions[0]?.['processorReference']),
        transactionId: String(transactions[0]?.['id']),
      };
    },
    payment: async (id) => (await account.api.ok(`/payments/${id}`)).payment,
    async postings(paymentId) {
      const { rows } = await pool.query<{ line: string }>(
        `SELECT account || ' ' || currency || ' ' || sum(amount) AS line
          FROM ledger.postings
          WHERE "paymentId" = $1
          GROUP BY account, currency
          HAVING sum(amount) <> 0
          ORDER BY 1`,
        [paymentId],
      );
      return rows.map(({ line }) => line);
    },
    eventTypes: async (objectId) =>
      (await prisma.event.findMany({ where: { objectId }, orderBy: { sequence: 'asc' } })).map(({ type }) => type),
    disputes: async (paymentId) =>
      (
        await account.api.ok('/disputes/list', {
          filters: { paymentId },
          sortBy: { field: 'createdAt', direction: 'asc' },
        })
      ).items,
    async close() {
      expect((await verifyLedger(platform.services)).differences).toEqual([]);
      await expectDisputeEventsToBeWhole(pool);
      for (const line of platform.logged) expect(line).not.toMatch(/Unspoken|4111111111111111|_secret_/);
      for (const table of ['events', 'idempotency_records', 'payments', 'processor_events', 'unapplied_events']) {
        const { rows } = await pool.query(
          `SELECT 1 FROM ${table} t WHERE t::text ~ 'Unspoken|4111111111111111|_secret_' LIMIT 1`,
        );
        expect(rows, table).toEqual([]);
      }
      await platform.close();
      await standIn.close();
    },
  };
}
