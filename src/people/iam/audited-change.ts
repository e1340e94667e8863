import type { SessionContext } from '../../graph/context.ts';
import { RateLimited } from '../../kit/errors.ts';
import { IdpError } from '../../ports/identity-provider.ts';
import { recordRefusal } from '../../write/refusals.ts';
import { type Write, type Writer, write } from '../../write/write.ts';
import { assertStillTrusted, assertTrustedAtCommit } from './caller-trust.ts';
import { askingProvider } from './provider-places.ts';
import { notFound } from './refusals.ts';

/** A write that may also change the identity provider. */
export interface AuditedChange extends Write {
  /** Adds the step that reverts a change at the provider if the transaction is not committed. */
  compensate(step: () => Promise<unknown>): void;
  /** Adds a step that runs once the transaction is committed, such as sending an invitation. */
  afterCommit(step: () => Promise<unknown>): void;
}

interface Attempt {
  action: string;
  target: string | null;
}

interface ChangeOptions<Result> {
  /** As that of `write`. */
  forReplay?(result: Result): unknown;
}

/**
 * Runs a mutation of a signed-in user as one transaction with its audit rows. A refused or failed mutation changes
 * nothing and leaves an audit row with the reason. Waits for rows that others have locked, such as a change that waits
 * for the identity provider, in the places of the user.
 */
export function runAuditedChange<Result>(
  context: SessionContext,
  attempt: Attempt,
  change: (change: Write) => Promise<Result>,
  options: ChangeOptions<Result> = {},
): Promise<Result> {
  const by = { ...context, tenant: `user ${context.caller.userId}` };
  return run(context, attempt, change, options, async (write) => {
    const result = await write(by);
    context.replayed = by.replayed;
    return result;
  });
}

/**
 * As `runAuditedChange`, for a mutation that also asks the identity provider. The provider is not part of the
 * transaction, so its steps are compensated when the transaction fails.
 */
export function runChangeAtProvider<Result>(
  context: SessionContext,
  attempt: Attempt,
  change: (change: AuditedChange) => Promise<Result>,
  options: ChangeOptions<Result> = {},
): Promise<Result> {
  const { services, caller } = context;
  // The places are those of the partner. Others have each their own.
  const tenant = caller.whitelabelOwnership ?? `user ${caller.userId}`;
  return run(context, attempt, change, options, (write) => askingProvider(services, tenant, () => write(context)));
}

async function run<Result>(
  context: SessionContext,
  attempt: Attempt,
  change: (change: AuditedChange) => Promise<Result>,
  { forReplay = (result) => result }: ChangeOptions<Result>,
  inPlaces: (write: (by: Writer) => Promise<{ result: Result }>) => Promise<{ result: Result }>,
): Promise<Result> {
  const compensations: (() => Promise<unknown>)[] = [];
  let afterCommit: (() => Promise<unknown>)[] = [];
  const compensateAll = async (): Promise<void> => {
    for (const step of compensations.splice(0).toReversed()) {
      await step().catch((error: unknown) =>
        context.services.log.error({ err: error, ...attempt }, 'A step at the identity provider was not reverted.'),
      );
    }
  };
  try {
    const made = async (part: Write): Promise<Result> => {
      // The transaction may be retried: the provider steps of the failed run must not be applied a second time.
      await compensateAll();
      afterCommit = [];
      try {
        await assertStillTrusted(part.tx, context.caller);
        const result = await change({
          ...part,
          compensate: (step) => compensations.push(step),
          afterCommit: (step) => afterCommit.push(step),
        });
        await assertTrustedAtCommit(part.tx, context.caller);
        return result;
      } catch (error) {
        // Compensated while the user is still locked, so that no other change comes in between.
        await compensateAll();
        throw error;
      }
    };
    // A call may make several changes under its key.
    const { result } = await inPlaces((by) =>
      write(by, `${attempt.action}/${attempt.target ?? ''}`, async (part) => ({ result: await made(part) }), {
        forReplay: (whole) => ({ result: forReplay(whole.result) }),
      }),
    );
    for (const step of afterCommit)
      await step().catch((error: unknown) =>
        context.services.log.error({ err: error, ...attempt }, 'The change is committed. A step after it failed.'),
      );
    return result;
  } catch (error) {
    await compensateAll();
    const clientError = clientErrorOf(error);
    await recordRefusal(context, attempt, clientError);
    throw clientError;
  }
}

/** An error of the provider as the client sees it. That the provider is unavailable is 503, as any outage. */
function clientErrorOf(error: unknown): unknown {
  if (!(error instanceof IdpError)) return error;
  if (error.code === 'RATE_LIMITED') return new RateLimited(error.retryAfterS ?? 1);
  return error.code === 'NOT_FOUND' ? notFound('target_not_found') : error;
}
