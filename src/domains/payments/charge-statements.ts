import type { Services } from '../../services.ts';
import { factsReader, type ReadFacts } from './charge-facts.ts';
import { type CommitOutcome, outcomeCommitter } from './charge-outcome-statement.ts';
import { type CommitIntent, intentCommitter } from './commit-charge-intent.ts';

/** The statements of a charge. Charges of a process that arrive together share each of them. */
export interface ChargeStatements {
  facts: ReadFacts;
  commitIntent: CommitIntent;
  commitOutcome: CommitOutcome;
}

export function chargeStatements({
  pool,
  followers,
  processors,
}: Pick<Services, 'pool' | 'followers' | 'processors'>): ChargeStatements {
  return {
    facts: factsReader(pool, [...processors.keys()]),
    commitIntent: intentCommitter(pool),
    commitOutcome: outcomeCommitter(pool, followers.payments),
  };
}
