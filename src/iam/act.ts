import type { SessionContext } from '../graph/context.ts';
import { RateLimited } from '../kit/errors.ts';
import { recordRefusal } from '../kit/refusals.ts';
import { write, type Write } from '../kit/write.ts';
import { IdpError } from '../ports/identity-provider.ts';
import { assertStillTrusted, assertTrustedToTheEnd } from './people.ts';
import { notFound } from './refusals.ts';

/** A change that also changes something at the identity provider. */
export interface Act extends Write {
  /** Names what takes a step at the provider back, should the transaction not be committed. */
  undo(step: () => Promise<unknown>): void;
  /** What is done once the change is there to stay, such as a mail. */
  afterwards(step: () => Promise<unknown>): void;
}

/**
 * Runs a mutation of the IAM part: it happens whole, is mirrored and audited, or not at all, and then the audit log says why. The
 * provider is no part of the transaction, so its steps are taken back when the transaction fails.
 */
export async function act<Result>(
  context: SessionContext,
  attempt: { action: string; target: string | null },
  change: (act: Act) => Promise<Result>,
): Promise<Result> {
  const undos: (() => Promise<unknown>)[] = [];
  let afterwards: (() => Promise<unknown>)[] = [];
  const takeBack = async (): Promise<void> => {
    for (const step of undos.splice(0).reverse()) {
      await step().catch((error: unknown) =>
        context.env.log.error({ err: error, ...attempt }, 'A step at the identity provider could not be taken back.'),
      );
    }
  };
  try {
    const result = await write(context, attempt.action, async (part) => {
      // The transaction may run again; what its last run did at the provider must not be done twice.
      await takeBack();
      afterwards = [];
      try {
        await assertStillTrusted(part.tx, context.caller);
        const made = await change({
          ...part,
          undo: (step) => undos.push(step),
          afterwards: (step) => afterwards.push(step),
        });
        await assertTrustedToTheEnd(part.tx, context.caller);
        return made;
      } catch (error) {
        // While the person is still locked: nobody else's change can come in between.
        await takeBack();
        throw error;
      }
    });
    for (const step of afterwards)
      await step().catch((error: unknown) =>
        context.env.log.error({ err: error, ...attempt }, 'The change stands; what was to follow it failed.'),
      );
    return result;
  } catch (error) {
    await takeBack();
    const told = ofProvider(error);
    await recordRefusal(context, attempt, told);
    throw told;
  }
}

/** What the provider refuses is often the client's to know; that it cannot be reached is our trouble. */
function ofProvider(error: unknown): unknown {
  if (!(error instanceof IdpError)) return error;
  if (error.code === 'RATE_LIMITED') return new RateLimited(error.retryAfterS ?? 1);
  return error.code === 'NOT_FOUND' ? notFound('target_not_found') : error;
}
