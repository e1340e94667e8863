import './schema.ts';
import { sql } from '../../database/sql.ts';
import type { Domain } from '../../domain.ts';
import { declineFollower } from './follow-declines.ts';

/**
 * Needed after a session has expired: a challenge of the card is answered on a page of the session, and the first
 * charges of the card count for the session's attempts.
 */
const keptMs = 24 * 3_600_000;

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
