import './schema.ts';
import { sql } from '../../database/sql.ts';
import type { Domain } from '../../domain.ts';
import { attemptDeclinedPart } from '../instruments/public.ts';
import type { PaymentFollower } from '../payments/public.ts';

/**
 * Needed after a session has expired: a challenge of the card is answered on a page of the session, and the first
 * charges of the card count for the session's attempts.
 */
const keptMs = 24 * 3_600_000;

/**
 * Counts the attempt that submitted a card as declined when a cardholder's charge of that card is declined, so that the
 * bounds of checkout pages apply to card fields too. An attempt counts once, however often its card is declined.
 */
const declineFollower: PaymentFollower = {
  beginConditions: () => [],

  outcomeParts(payments, guard) {
    const declined = payments.filter(({ status, initiatedBy }) => status === 'declined' && initiatedBy === 'customer');
    if (declined.length === 0) return [];
    return [attemptDeclinedPart(declined, guard)];
  },
  cancelParts: () => [],
  follow: async () => {},
};

export const cardFieldsDomain = {
  name: 'card-fields',
  reference: {
    title: 'Card fields',
    description:
      "Card fields on the merchant's own page. The server creates a client session, the page mounts the fields with " +
      'its secret, and the page gets a token, never a card number.',
  },
  idPrefixes: { clientSession: 'cs_' },
  keeps: [{ table: sql`client_sessions`, by: sql`"expiresAt"`, forMs: keptMs }],
  followsPayments: declineFollower,
} as const satisfies Domain;
