import { DomainError, type PossibleEffect, Unavailable } from '../kit/errors.ts';
import { isOutage } from '../kit/outage.ts';

/** What is known of a call that failed. */
export interface FailedCall {
  /** What it may have done. */
  effect: PossibleEffect;
  /** Whether it has an idempotency key. */
  hasKey: boolean;
}

/** The error for the client; undefined for a fault of the platform. */
export function clientErrorOf(error: unknown, { effect, hasKey }: FailedCall): DomainError | undefined {
  const thrown = thrownIn(error);
  if (thrown instanceof DomainError) return thrown;
  return isOutage(thrown) ? new Unavailable(effect, { hasKey, cause: thrown }) : undefined;
}

/** The error that a resolver threw, without the wrapping of the GraphQL executor, whose stack is not useful. */
export function thrownIn(error: unknown): unknown {
  const inner: unknown = error instanceof Error && 'originalError' in error ? error.originalError : undefined;
  return inner === undefined || inner === null ? error : thrownIn(inner);
}
