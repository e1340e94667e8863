import './schema.ts';
import type { Domain } from '../../domain.ts';
import type { Job } from '../../jobs/jobs.ts';
import { inBatches } from '../../jobs/leases.ts';
import { rewrapBatch } from '../../keys/key-ring.ts';
import type { Services } from '../../services.ts';
import { cardAttemptsKept } from './card-attempts.ts';
import { eraseDeletedCards, purgeUnclaimedCards } from './jobs.ts';
import { presentedNumbersKept } from './number-guard.ts';

/** The number of expired CVCs that one statement purges. */
const cvcsAtOnce = 1_000;

export const instrumentsDomain = {
  name: 'instruments',
  reference: {
    title: 'Payment instruments',
    description:
      'Cards. Tokenize a card number, turn the token into a payment instrument of a customer, and ' +
      'charge the instrument any number of times.',
  },
  idPrefixes: {
    paymentInstrument: 'pi_',
    token: 'tok_',
    card: 'card_',
    cardTestingAlert: 'alert_',
    cardAttempt: 'try_',
  },
  eventTypes: ['paymentInstrument/created', 'paymentInstrument/deleted'],
  keeps: [...presentedNumbersKept, cardAttemptsKept],
  jobs: (services: Services): Job[] => [
    { name: 'purge-unclaimed-cards', everyMs: 600_000, run: (stopping) => purgeUnclaimedCards(services, stopping) },
    { name: 'erase-deleted-cards', everyMs: 600_000, run: (stopping) => eraseDeletedCards(services, stopping) },
    {
      name: 'purge-expired-cvcs',
      everyMs: 60_000,
      run: (stopping) => inBatches(cvcsAtOnce, () => services.vault.purgeExpiredCvcs(cvcsAtOnce), stopping),
    },
    { name: 'rewrap-cards', everyMs: 60_000, run: () => services.vault.rewrap(rewrapBatch) },
  ],
} as const satisfies Domain;
