import { newTurns } from '../../database/together.ts';
import type { Services } from '../../services.ts';
import { factsReader, type ReadFacts } from './charge-facts.ts';
import { type CommitOutcome, outcomeCommitter } from './charge-outcome-statement.ts';
import { type CommitIntent, intentCommitter } from './commit-charge-intent.ts';
import { countCharge } from './count-charge.ts';

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
  metrics,
}: Pick<Services, 'pool' | 'followers' | 'processors' | 'metrics'>): ChargeStatements {
  const turns = newTurns();
  const commitOutcome = outcomeCommitter(pool, followers.payments, turns);
  return {
    facts: factsReader(pool, [...processors.keys()]),
    commitIntent: intentCommitter(pool, followers.payments, turns),
    async commitOutcome(outcome) {
      const isWritten = await commitOutcome(outcome);
      if (isWritten) countCharge(metrics, outcome.after.payment);
      return isWritten;
    },
  };
}
