import { newTurns } from '../../database/together.ts';
import type { Services } from '../../services.ts';
import { type EndModification, modificationEnder } from './modification-ender.ts';
import { modificationFactsReader, type ReadModificationFacts } from './modification-facts.ts';
import { modificationReserver, type ReserveModification } from './modification-reserver.ts';
import { type PaymentsInFlight, paymentsInFlight } from './payments-in-flight.ts';

/** The statements of a capture, void or refund. Those of a process that arrive together share each of them. */
export interface ModificationStatements {
  inFlight: PaymentsInFlight;
  facts: ReadModificationFacts;
  reserve: ReserveModification;
  end: EndModification;
}

export function modificationStatements({ pool }: Pick<Services, 'pool'>): ModificationStatements {
  const turns = newTurns();
  const inFlight = paymentsInFlight();
  return {
    inFlight,
    facts: modificationFactsReader(pool, inFlight),
    reserve: modificationReserver(pool, turns, inFlight),
    end: modificationEnder(pool, turns, inFlight),
  };
}
