import { createHash, randomUUID } from 'node:crypto';
import type pg from 'pg';
import { newId } from '../../../src/lib/ids.ts';
import type { CardProcessor } from '../../../src/ports/card-processor.ts';
import type { Vault } from '../../../src/ports/vault.ts';
import type { FloorKey } from './server.ts';
import { chargeFactsSql, intentSql, outcomeSql } from './statements.ts';

export interface FloorParts {
  pool: pg.Pool;
  vault: Vault;
  processor: CardProcessor;
}

interface Facts {
  storeId: string;
  platformAccountId: string;
  partnerId: string;
  mode: string;
  accountStatus: string;
  chargeCurrencies: string[];
  paymentInstrumentId: string;
  customerId: string;
  customerEmailLower: string;
  cardId: string;
  cardLast4: string;
  isActive: boolean;
  processorId: string;
  processorType: string;
}

interface Requested {
  storeId?: string;
  paymentInstrumentId: string;
  amount: number;
  currency: string;
}

/**
 * A hand-written charge: facts, intent, card from the vault, processor, outcome. Every charge of the bench is approved.
 */
export async function charge(
  { pool, vault, processor }: FloorParts,
  key: FloorKey,
  idempotencyKey: string,
  requested: Requested,
): Promise<object> {
  const { rows } = await pool.query<Facts>({
    name: 'facts',
    text: chargeFactsSql,
    values: [requested.storeId ?? null, requested.paymentInstrumentId, requested.currency, key.platformAccountId],
  });
  const facts = rows[0];
  if (facts?.accountStatus !== 'active' || !facts.isActive || !facts.chargeCurrencies.includes(requested.currency))
    throw new Error('This cannot be charged.');
  const now = new Date();
  const requestId = randomUUID();
  const {
    storeId,
    platformAccountId,
    partnerId,
    mode,
    processorId,
    processorType,
    customerId,
    paymentInstrumentId,
    cardLast4,
    customerEmailLower,
  } = facts;
  const tenant = { partnerId, platformAccountId, mode };
  const { amount, currency } = requested;
  const payment = {
    id: newId('pay_', now),
    ...tenant,
    storeId,
    customerId,
    paymentInstrumentId,
    amount,
    currency,
    capturedAmount: 0,
    refundedAmount: 0,
    reservedAmount: 0,
    disputedAmount: 0,
    foreignDisputes: 0,
    status: 'pending',
    subStatus: 'processing',
    failureCode: null,
    failureMessage: null,
    requireAction: null,
    requireActionData: null,
    actionExpiresAt: null,
    processorId,
    initiatedBy: 'customer',
    reasonType: null,
    threeDs: 'automatic',
    returnUrl: null,
    billingAddress: null,
    shippingAddress: null,
    metadata: {},
    cardLast4,
    customerEmailLower,
    sequence: 1,
    createdAt: now,
    updatedAt: now,
  };
  const attempt = {
    id: newId('txn_', now),
    paymentId: payment.id,
    ...tenant,
    type: 'purchase',
    status: 'processing',
    amount,
    currency,
    processorId,
    processorType,
    processorReference: null,
    failureCode: null,
    askedAt: now,
    createdAt: now,
    updatedAt: now,
  };
  const requestHash = createHash('sha256').update(JSON.stringify(requested)).digest('base64url');
  const event = (type: string, of: object, sequence: number) =>
    JSON.stringify([
      {
        id: newId('evt_', now),
        type,
        ...tenant,
        storeId,
        objectId: payment.id,
        sequence,
        requestId,
        data: { object: shown(of) },
        createdAt: new Date(),
      },
    ]);
  const intent = [
    platformAccountId,
    'processPayment',
    idempotencyKey,
    requestHash,
    payment.id,
    now,
    JSON.stringify(payment),
    JSON.stringify(attempt),
    event('payment/created', payment, 1),
  ];
  const claimed = await pool.query({ name: 'intent', text: intentSql, values: intent });
  if (claimed.rows.length === 0) throw new Error('The Idempotency-Key was used before.');

  const card = await vault.reveal(facts.cardId, { platformAccountId, mode: 'test' });
  const outcome = await processor.authorize({
    processor: { id: processorId, options: {}, secrets: {} },
    reference: attempt.id,
    amount,
    currency,
    card,
    capture: true,
    merchantInitiated: false,
    threeDs: 'automatic',
    returnUrl: '',
  });
  if (card.cvc !== null) await vault.purgeCvc(facts.cardId);
  if (outcome.result !== 'approved') throw new Error('Every card of the bench is approved.');

  const resolved = {
    ...payment,
    status: 'succeeded',
    subStatus: 'captured',
    capturedAmount: amount,
    sequence: 2,
    updatedAt: new Date(),
  };
  const closed = {
    ...attempt,
    status: 'succeeded',
    processorReference: outcome.processorReference,
    updatedAt: resolved.updatedAt,
  };
  const answer = { payment: resolved, transactions: [closed] };
  const journalEntry = { journalEntryId: attempt.id, paymentId: payment.id, ...tenant, currency };
  const postings = [
    { ...journalEntry, account: 'processor_receivable', amount },
    { ...journalEntry, account: 'merchant_balance', amount: -amount },
  ];
  await pool.query({
    name: 'outcome',
    text: outcomeSql,
    values: [
      JSON.stringify(resolved),
      'processing',
      JSON.stringify(closed),
      event('payment/succeeded', resolved, 2),
      JSON.stringify(answer),
      payment.id,
      resolved.updatedAt,
      JSON.stringify(postings),
    ],
  });
  const { id, type, status, processorReference, failureCode, createdAt } = closed;
  return {
    payment: { ...shown(resolved), orderId: null, subscriptionId: null },
    transactions: [{ id, type, status, amount, currency, processorId, processorReference, failureCode, createdAt }],
  };
}

function shown(payment: object): object {
  const {
    partnerId: _partner,
    mode,
    sequence: _sequence,
    customerEmailLower: _email,
    actionExpiresAt: _expires,
    returnUrl: _return,
    threeDs: _threeDs,
    ...rest
  } = payment as Record<string, unknown>; // created above
  return { ...rest, livemode: mode === 'live' };
}
