import { identifier, sql } from '../../database/sql.ts';
import type { PaymentFollower } from '../payments/public.ts';

/**
 * Counts the attempt that submitted a card as declined when a charge of that card by its holder is declined, so that
 * the bounds of checkout pages hold for card fields too. An attempt counts once, however often its card is declined.
 */
export const declineFollower: PaymentFollower = {
  outcomeParts: ({ status, initiatedBy, paymentInstrumentId }, guard) =>
    status !== 'declined' || initiatedBy !== 'customer'
      ? []
      : [
          sql`card_attempt_declined AS (
            UPDATE limits.card_attempts
            SET state = 'declined'
            WHERE id = (
              SELECT a.id
              FROM payment_instruments i
              JOIN client_sessions s ON s."cardId" = i."cardId"
              JOIN limits.card_attempts a ON a."sessionId" = s.id
              WHERE i.id = ${paymentInstrumentId} AND EXISTS (SELECT 1 FROM ${identifier(guard)})
              ORDER BY a.at DESC
              LIMIT 1
            )
          )`,
        ],
  cancelParts: () => [],
  follow: async () => {},
};
