import type { Answer } from '../../support/client.ts';
import { asOwner } from '../../support/database.ts';
import type { TestPlatform } from '../../support/platform.ts';
import type { SeededAccount } from '../../support/seed.ts';

/** The processor refuses this amount, and its answer to that one is lost. */
export const refused = 111;
export const lost = 112;

export const kinds = [
  'refund',
  'withoutKey',
  'capture',
  'void',
  'ofOrder',
  'refused',
  'lost',
  'resolved',
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
export type Kind = (typeof kinds)[number];

export interface Call {
  account: SeededAccount;
  path: 'refund' | 'capture' | 'void';
  body: Record<string, unknown>;
  key?: string;
}

/**
 * The calls of one case on its payment, what happens between their facts and their intents, the answers that they have
 * alone, in any order, and the state of the payment after them.
 */
export interface Case {
  paymentId: string;
  calls: Call[];
  answers: string[];
  /** Null if it depends on which call comes first, or if there is no payment any more. */
  state: string | null;
  /** How many of the calls do not decide together with others. Default: none. */
  apart?: number;
  meanwhile?: () => Promise<unknown>;
}

interface World {
  readonly platform: TestPlatform;
  readonly accounts: readonly SeededAccount[];
  /** The account of the cases that suspend theirs. */
  readonly toSuspend: SeededAccount;
}

/** Makes a payment for each case, with what is to be called on it. */
export function modificationCases(world: World) {
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
    const account = world.accounts[number % world.accounts.length] as SeededAccount;
    const key = `key ${number}`;
    const isHeld = ['capture', 'void', 'captureOrVoid', 'suspended', 'vanished'].includes(kind);
    const owner = kind === 'suspended' ? world.toSuspend : account;
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
    world.platform.services.prisma.processingAccount.update({ where: { id: world.toSuspend.id }, data: { status } });

  async function removePayment(paymentId: string): Promise<void> {
    const condition = 'SELECT id FROM transactions WHERE "paymentId" = $1';
    await asOwner(world.platform, `DELETE FROM test_processor.charges WHERE reference IN (${condition})`, [paymentId]);
    await asOwner(world.platform, 'DELETE FROM transactions WHERE "paymentId" = $1', [paymentId]);
    await asOwner(world.platform, 'DELETE FROM payments WHERE id = $1', [paymentId]);
  }

  return { caseOf, setStatus };
}

export function send({ account, path, body, key }: Call): Promise<Answer> {
  const headers = key === undefined ? {} : { headers: { 'Idempotency-Key': key } };
  return account.api.call(`/payments/${path}`, body, headers);
}
