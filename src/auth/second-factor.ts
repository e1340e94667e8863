import type { PlatformClock } from '../lib/clock.ts';
import { Forbidden } from '../lib/errors.ts';
import type { Config } from '../settings/config.ts';
import type { SessionCaller } from './caller.ts';

/** How long a verified second factor counts for what gives the most power. */
const freshForMs = 600_000;

type SecondFactorReason = 'second_factor_required' | 'second_factor_too_old';

/** What is known of a person's second factor. */
type Factor = Pick<SessionCaller, 'hasSecondFactor' | 'secondFactorAt'>;

interface FactorRules {
  config: Pick<Config, 'identity' | 'publicUrl'>;
  clock: Pick<PlatformClock, 'earliestReal'>;
}

/** Why a person may not do what gives the most power without verifying a second factor again; null if they may. */
export function secondFactorProblem({ config, clock }: FactorRules, person: Factor): SecondFactorReason | null {
  if (!config.identity.requiresSecondFactor) return null;
  if (person.hasSecondFactor === false) return 'second_factor_required';
  const { secondFactorAt } = person;
  const isFresh = secondFactorAt != null && clock.earliestReal().getTime() - secondFactorAt.getTime() <= freshForMs;
  return isFresh ? null : 'second_factor_too_old';
}

/** 403 unless the person has verified a second factor in the last ten minutes, where one is required. */
export function assertFreshSecondFactor(rules: FactorRules, person: Factor): void {
  const reason = secondFactorProblem(rules, person);
  if (reason !== null) throw secondFactorError(rules.config, reason);
}

export function secondFactorError({ publicUrl }: Pick<Config, 'publicUrl'>, reason: SecondFactorReason): Forbidden {
  const messages = {
    second_factor_required: `your role needs a second factor. Set it up at ${publicUrl}/idp/account.`,
    second_factor_too_old:
      'this needs a second factor that was verified in the last ten minutes. Verify yours at ' +
      `${publicUrl}/idp/second-factor, then repeat the call; with a token, get another one first.`,
  };
  return new Forbidden(reason, `${reason}: ${messages[reason]}`);
}
