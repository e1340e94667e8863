import type { Metrics } from '../../runtime/metrics.ts';
import type { PaymentRow } from './payment-rows.ts';

/** Counts the outcome of a charge after it was committed. A challenge is one outcome, and its end another. */
export function countCharge(metrics: Metrics, payment: PaymentRow): void {
  const { mode, status, requireAction, failureCode, currency, capturedAmount } = payment;
  const outcome = requireAction === null ? status : 'requires_action';
  metrics.chargeDecided({ mode, outcome, code: failureCode ?? 'none', currency, captured: Number(capturedAmount) });
}
