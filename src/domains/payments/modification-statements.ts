import { newTurns } from '../../database/together.ts';
import type { Services } from '../../services.ts';
import { type EndModification, modificationEnder } from './modification-end-statement.ts';
import { modificationFactsReader, type ReadModificationFacts } from './modification-facts.ts';
import { modificationReserver, type ReserveModification } from './modification-intent-statement.ts';

/** The statements of a capture, void or refund. Those of a process that arrive together share each of them. */
export interface ModificationStatements {
  facts: ReadModificationFacts;
  reserve: ReserveModification;
  end: EndModification;
}

export function modificationStatements({ pool }: Pick<Services, 'pool'>): ModificationStatements {
  const turns = newTurns();
  return {
    facts: modificationFactsReader(pool),
    reserve: modificationReserver(pool, turns),
    end: modificationEnder(pool, turns),
  };
}
