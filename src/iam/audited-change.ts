import type pg from 'pg';
import type { SessionCaller } from '../auth/caller.ts';
import { forbidden, notFound } from '../auth/decisions.ts';
import type { SessionContext } from '../call/context.ts';
import { isLockTimeout } from '../database/errors.ts';
import { sql } from '../database/sql.ts';
import { newTenantSlots, type TenantSlots } from '../database/tenant-queue.ts';
import { waitsOf } from '../database/waits.ts';
import type { Prisma } from '../generated/prisma/client.ts';
import { NotAuthorized, RateLimited, Unavailable } from '../lib/errors.ts';
import { IdpError } from '../ports/identity-provider.ts';
import { recordRefusal } from '../unit-of-work/refusals.ts';
import { type Write, type Writer, write } from '../unit-of-work/write.ts';

/**
 * Rejects a change whose caller has lost a role, the partner or the session since the request was received. Called as
 * the last step of the change, with the caller's row locked, so that the removal of a role is answered only after
 * changes made with that role. The row is locked no earlier, since two users who change each other would deadlock.
 */
async function assertTrustedAtCommit(tx: Prisma.TransactionClient, caller: SessionCaller): Promise<void> {
  await tx.$queryRaw(sql`
    SELECT 1
    FROM iam_users
    WHERE "idpUserId" = ${caller.userId}
    FOR SHARE`);
  await assertCallerUnchanged(tx, caller);
}

async function assertCallerUnchanged(
  tx: Prisma.TransactionClient,
  { userId, sessionId, platformRoles, whitelabelOwnership }: SessionCaller,
): Promise<void> {
  const user = await tx.iamUser.findUnique({ where: { idpUserId: userId } });
  const hasEnded = (await tx.endedSession.count({ where: { sessionId } })) > 0;
  if (!user || user.banned || user.deletedAt !== null || hasEnded)
    throw new NotAuthorized('The session has ended: sign in again.');
  const isAsBefore =
    user.whitelabelOwnership === whitelabelOwnership &&
    platformRoles.every((role) => user.platformRoles.includes(role));
  if (!isAsBefore) throw forbidden('caller_lacks_role', `${platformRoles.join(', ')} until the change is stored`);
}

const ofPools = new WeakMap<pg.Pool, TenantSlots>();

/** Two fifths of the connections, of which one tenant uses at most half. */
function slotsOf(pool: pg.Pool): TenantSlots {
  let places = ofPools.get(pool);
  if (!places) {
    const most = Math.max(1, Math.floor((pool.options?.max ?? 10) * 0.4));
    places = newTenantSlots(most, Math.max(1, Math.floor(most / 2)));
    ofPools.set(pool, places);
  }
  return places;
}

/**
 * Runs a transaction that calls the identity provider: its locks serialize changes of a user until the provider has
 * answered. Their number in a process is limited, so that a provider that does not answer leaves connections for other
 * calls. `tenant` is the tenant of the change. 503 after five seconds without a slot: nothing was done.
 */
export async function withProviderSlot<Result>(
  { pool }: { pool: pg.Pool },
  tenant: string,
  run: () => Promise<Result>,
): Promise<Result> {
  let isBegun = false;
  const begin = () => {
    isBegun = true;
    return run();
  };
  try {
    return await slotsOf(pool).run(tenant, performance.now() + waitsOf(pool).providerPlaceMs, begin);
  } catch (error) {
    if (isBegun || !isLockTimeout(error)) throw error;
    throw new Unavailable('none', { hasKey: false, cause: error });
  }
}

/** A write that may also change the identity provider. */
export interface AuditedChange extends Write {
  /** Adds the step that reverts a change at the provider if the transaction is not committed. */
  compensate(step: () => Promise<unknown>): void;
  /** Adds a step that runs once the transaction is committed, such as sending an invitation. */
  afterCommit(step: () => Promise<unknown>): void;
}

/** A change that calls no provider. */
export type AuditedWrite = Omit<AuditedChange, 'compensate'>;

type Attempt = Parameters<typeof recordRefusal>[1];

interface ChangeOptions<Result> {
  /** As in `write`. */
  forReplay?(result: Result): unknown;
}

/**
 * Runs a mutation of a signed-in user as one transaction with its audit rows. A rejected or failed mutation changes
 * nothing and leaves an audit row with the reason. Waits for locked rows, such as those of a change that waits for the
 * identity provider, in the slots of the user.
 */
export function runAuditedChange<Result>(
  context: SessionContext,
  attempt: Attempt,
  change: (change: AuditedWrite) => Promise<Result>,
  options: ChangeOptions<Result> = {},
): Promise<Result> {
  const by = { ...context, lockQueue: `user ${context.caller.userId}` };
  return run(context, attempt, change, options, (write) => write(by));
}

/**
 * As `runAuditedChange`, for a mutation that also calls the identity provider. The provider is not part of the
 * transaction, so its steps are compensated when the transaction fails.
 */
export function runChangeAtProvider<Result>(
  context: SessionContext,
  attempt: Attempt,
  change: (change: AuditedChange) => Promise<Result>,
  options: ChangeOptions<Result> = {},
): Promise<Result> {
  const { services, caller } = context;
  // The slots belong to the partner. Users without a partner have their own.
  const tenant = caller.whitelabelOwnership ?? `user ${caller.userId}`;
  return run(context, attempt, change, options, (write) => withProviderSlot(services, tenant, () => write(context)));
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
        await assertCallerUnchanged(part.tx, context.caller);
        const result = await change({
          ...part,
          compensate: (step) => compensations.push(step),
          afterCommit: (step) => afterCommit.push(step),
        });
        await assertTrustedAtCommit(part.tx, context.caller);
        return result;
      } catch (error) {
        // Compensated while the user is still locked, so that no other change happens in between.
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

/** An error of the provider as the client receives it. If the provider is unavailable, it is 503, as for any outage. */
function clientErrorOf(error: unknown): unknown {
  if (!(error instanceof IdpError)) return error;
  if (error.code === 'RATE_LIMITED') return new RateLimited(error.retryAfterS ?? 1);
  return error.code === 'NOT_FOUND' ? notFound('target_not_found') : error;
}
