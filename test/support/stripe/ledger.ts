import { randomBase62 } from '../../../src/lib/ids.ts';
import type { CardOutcome } from './cards.ts';

/** The objects of one account, in the shapes sent over the wire. */
export interface Ledger {
  livemode: boolean;
  paymentMethods: Map<string, PaymentMethod>;
  intents: Map<string, Intent>;
  charges: Map<string, Charge>;
  refunds: Map<string, Refund>;
  disputes: Map<string, Dispute>;
  events: StripeEvent[];
}

export interface PaymentMethod {
  id: string;
  object: 'payment_method';
  type: 'card';
  card: { brand: string; exp_month: number; exp_year: number; last4: string };
  created: number;
  livemode: boolean;
}

export interface Intent {
  id: string;
  object: 'payment_intent';
  amount: number;
  amount_capturable: number;
  amount_received: number;
  canceled_at: number | null;
  cancellation_reason: string | null;
  capture_method: 'automatic' | 'manual';
  client_secret: string;
  created: number;
  currency: string;
  last_payment_error: object | null;
  latest_charge: string | null;
  livemode: boolean;
  metadata: Record<string, string>;
  next_action: { type: 'redirect_to_url'; redirect_to_url: { url: string; return_url: string } } | null;
  payment_method: string | null;
  payment_method_types: string[];
  status: 'requires_payment_method' | 'requires_action' | 'processing' | 'requires_capture' | 'canceled' | 'succeeded';
}

export interface Charge {
  id: string;
  object: 'charge';
  amount: number;
  amount_captured: number;
  amount_refunded: number;
  captured: boolean;
  created: number;
  currency: string;
  disputed: boolean;
  livemode: boolean;
  payment_intent: string;
  refunded: boolean;
  status: 'succeeded' | 'failed';
}

export interface Refund {
  id: string;
  object: 'refund';
  amount: number;
  charge: string;
  created: number;
  currency: string;
  metadata: Record<string, string>;
  payment_intent: string;
  reason: string | null;
  status: 'pending' | 'succeeded' | 'failed' | 'canceled';
}

export interface Dispute {
  id: string;
  object: 'dispute';
  amount: number;
  charge: string;
  created: number;
  currency: string;
  evidence_details: { due_by: number | null };
  livemode: boolean;
  payment_intent: string;
  reason: string;
  status: string;
}

export interface StripeEvent {
  id: string;
  object: 'event';
  api_version: string;
  created: number;
  data: { object: object };
  livemode: boolean;
  type: string;
  account?: string;
}

/** The outcome of a card is not part of the wire format and is stored separately. */
export const secrets = new WeakMap<PaymentMethod, CardOutcome>();

export function newLedger(livemode: boolean): Ledger {
  return {
    livemode,
    paymentMethods: new Map(),
    intents: new Map(),
    charges: new Map(),
    refunds: new Map(),
    disputes: new Map(),
    events: [],
  };
}

export const seconds = (): number => Math.floor(Date.now() / 1000);
export const newStripeId = (prefix: string): string => `${prefix}_${randomBase62(24)}`;

/** An event with the current state of the object. */
export function emit(ledger: Ledger, type: string, object: object): void {
  ledger.events.push({
    id: newStripeId('evt'),
    object: 'event',
    api_version: '2026-10-28.endive',
    created: seconds(),
    data: { object: structuredClone(object) },
    livemode: ledger.livemode,
    type,
  });
}
