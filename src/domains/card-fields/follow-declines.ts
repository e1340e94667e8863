import { recordset } from '../../database/recordset.ts';
import { identifier, sql } from '../../database/sql.ts';
import type { PaymentFollower } from '../payments/public.ts';

/**
 * Counts the attempt that submitted a card as declined when a cardholder's charge of that card is declined, so that the
 * bounds of checkout pages apply to card fields too. An attempt counts once, however often its card is declined.
 */
export const declineFollower: PaymentFollower = {
  outcomeParts(payments, guard) {
    const declined = payments.filter(({ status, initiatedBy }) => status === 'declined' && initiatedBy === 'customer');
    if (declined.length === 0) return [];
    const rows = declined.map(({ id, paymentInstrumentId }) => ({ id, paymentInstrumentId }));
    return [
      sql`card_attempt_declined AS (
        UPDATE limits.card_attempts
        SET state = 'declined'
        WHERE id IN (
          SELECT attempt.id
          FROM ${identifier(guard)} g
          JOIN ${recordset('r', { id: 'text', paymentInstrumentId: 'text' }, 'id', rows)} ON r.id = g.id
          CROSS JOIN LATERAL (
            SELECT a.id
            FROM payment_instruments i
            JOIN client_sessions s ON s."cardId" = i."cardId"
            JOIN limits.card_attempts a ON a."sessionId" = s.id
            WHERE i.id = r."paymentInstrumentId"
            ORDER BY a.at DESC
            LIMIT 1
          ) attempt
        )
      )`,
    ];
  },
};
