import { constant, execute, queryRows, sql } from '../../database/sql.ts';
import type { Prisma } from '../../generated/prisma/client.ts';
import { isTooLate, leaseOver } from '../../jobs/leases.ts';
import { type Due, runDueRows } from '../../jobs/run-due-rows.ts';
import { Unavailable } from '../../lib/errors.ts';
import type { Services } from '../../services.ts';

/** The earliest time at which a revert is due after a crash. No transaction takes that long. */
const revertAfterMs = 30_000;
const revertsAtOnce = 4;
/** Longer than a call to the provider. Meanwhile no other process changes the tag. */
const leaseMs = 60_000;
const retryMs = { first: 5_000, max: 3_600_000 };

/**
 * Records that the tag of an organization at the provider may differ from the mirror. Committed separately, so that it
 * survives a rollback of the change. An existing record is kept: it has the tag before the first of the changes. 503
 * while the job reverts the tag, since the job's call might arrive after that of the change.
 */
export async function storePendingCompensation(
  { pool, clock }: Services,
  organizationId: string,
  partnerSlug: string | null,
): Promise<void> {
  const now = clock.now();
  const dueAt = new Date(now.getTime() + revertAfterMs);
  const stored = await execute(
    pool,
    sql`
      INSERT INTO pending_compensations AS r ("organizationId", "partnerSlug", "dueAt", "createdAt")
      VALUES (${organizationId}, ${partnerSlug}, ${dueAt}, ${now})
      ON CONFLICT ("organizationId") DO UPDATE SET "dueAt" = excluded."dueAt", "revertingUntil" = NULL
      WHERE ${leaseOver(sql`r."revertingUntil"`, now, leaseMs)}`,
  );
  if (stored === 0) throw new Unavailable('none', { hasKey: false, cause: new Error('The tag is being reverted.') });
}

export async function dropPendingCompensation(
  db: Pick<Prisma.TransactionClient, 'pendingCompensation'>,
  organizationId: string,
): Promise<void> {
  await db.pendingCompensation.deleteMany({ where: { organizationId } });
}

/** Restores the tag at the provider immediately. If that fails, the pending revert becomes due for the job. */
export async function revertOrganizationTag(
  services: Services,
  organizationId: string,
  partnerSlug: string | null,
): Promise<void> {
  try {
    await services.identityProvider.setOrganizationPartner(organizationId, partnerSlug);
    await dropPendingCompensation(services.prisma, organizationId);
  } catch (error) {
    await services.prisma.pendingCompensation.updateMany({
      where: { organizationId },
      data: { dueAt: services.clock.now(), attempts: { increment: 1 }, lastError: String(error) },
    });
    throw error;
  }
}

interface Revert extends Due {
  partnerSlug: string | null;
  attempts: number;
  revertingUntil: Date;
}

/**
 * The job that restores tags at the provider after changes that were not committed, a few concurrently. It leases a
 * revert and calls the provider outside of a transaction, so that a provider that does not answer holds no connection.
 * A failed revert is retried by a later run. Returns the number of completed reverts.
 */
export async function runPendingCompensations(services: Services, stopping: AbortSignal = never): Promise<number> {
  const postponing: Promise<void>[] = [];
  const done = await runDueRows<Revert>({
    lease: () => leaseReverts(services),
    run: (revert) => runPendingCompensation(services, revert),
    failed: (error, revert) => void postponing.push(postponeRevert(services, revert, error)),
    stopping,
    most: revertsAtOnce,
  });
  await Promise.all(postponing);
  return done;
}

const never = new AbortController().signal;

function leaseReverts({ pool, clock }: Services): Promise<Revert[]> {
  const now = clock.now();
  return queryRows<Revert>(
    pool,
    sql`
      UPDATE pending_compensations
      SET "revertingUntil" = ${new Date(now.getTime() + leaseMs)}
      WHERE "organizationId" IN (
        SELECT "organizationId"
        FROM pending_compensations
        -- None waits longer than the longest pause, unless a clock that was ahead has written it.
        WHERE ("dueAt" <= ${clock.earliest()} OR ${isTooLate(sql`"dueAt"`, now, retryMs.max)})
          AND ${leaseOver(sql`"revertingUntil"`, now, leaseMs)}
        ORDER BY "dueAt"
        LIMIT ${constant(revertsAtOnce)}
        FOR NO KEY UPDATE SKIP LOCKED
      )
      RETURNING
        "organizationId" AS id, NULL AS "partnerId", NULL AS "platformAccountId", NULL AS mode, NULL AS "processorId",
        "partnerSlug", attempts, "revertingUntil"`,
  );
}

/** If this run has lost its lease, another process does the revert and sets the same tag. */
async function runPendingCompensation({ prisma, identityProvider }: Services, revert: Revert): Promise<void> {
  const { id: organizationId, partnerSlug, revertingUntil } = revert;
  if ((await prisma.organization.count({ where: { organizationId } })) > 0)
    await identityProvider.setOrganizationPartner(organizationId, partnerSlug);
  await prisma.pendingCompensation.deleteMany({ where: { organizationId, revertingUntil } });
}

async function postponeRevert(
  { prisma, clock, log }: Services,
  { id: organizationId, attempts, revertingUntil }: Revert,
  error: unknown,
): Promise<void> {
  log.error(
    { err: error, organizationId, attempts: attempts + 1 },
    'The tag of an organization at the identity provider was not reverted. The job will try again.',
  );
  const dueAt = new Date(clock.now().getTime() + Math.min(retryMs.first * 2 ** attempts, retryMs.max));
  await prisma.pendingCompensation.updateMany({
    where: { organizationId, revertingUntil },
    data: { dueAt, attempts: { increment: 1 }, lastError: String(error), revertingUntil: null },
  });
}
