import { type Due, once, runAtOnce } from '../../runtime/at-once.ts';
import type { Services } from '../../services.ts';
import { lockName } from '../iam/public.ts';

/** A revert after a crash is due after this time at the earliest: no transaction lives that long. */
const revertAfterMs = 30_000;
const batchSize = 100;
const revertsAtOnce = 4;
const retryMs = { first: 5_000, max: 3_600_000 };

/**
 * Stores that the tag of an organization at the provider may differ from the mirror. Committed by itself, so that it
 * survives a rollback of the change. A stored revert is kept: it has the tag before the first of the changes.
 */
export async function storePendingRevert(
  { prisma, clock }: Services,
  organizationId: string,
  partnerSlug: string | null,
): Promise<void> {
  const now = clock.now();
  const dueAt = new Date(now.getTime() + revertAfterMs);
  await prisma.pendingRevert.upsert({
    where: { organizationId },
    update: { dueAt },
    create: { organizationId, partnerSlug, dueAt, createdAt: now },
  });
}

/** Restores the tag at the provider at once. If that fails, the pending revert becomes due for the job. */
export async function revertOrganizationTag(
  services: Services,
  organizationId: string,
  partnerSlug: string | null,
): Promise<void> {
  try {
    await services.identityProvider.setOrganizationPartner(organizationId, partnerSlug);
    await services.prisma.pendingRevert.deleteMany({ where: { organizationId } });
  } catch (error) {
    await services.prisma.pendingRevert.updateMany({
      where: { organizationId },
      data: { dueAt: services.clock.now(), attempts: { increment: 1 }, lastError: String(error) },
    });
    throw error;
  }
}

/**
 * The job that restores tags at the provider after changes that were not committed, a few at once: each has a database
 * connection while it waits for the provider. A failed revert is retried by a later run. Returns the number of reverts
 * done.
 */
export async function runPendingReverts(services: Services, stopping: AbortSignal = never): Promise<number> {
  const tooLate = new Date(services.clock.now().getTime() + 2 * retryMs.max);
  const due = await services.prisma.pendingRevert.findMany({
    // None waits longer than the longest pause, unless a clock that was ahead has written it.
    where: { OR: [{ dueAt: { lte: services.clock.passed() } }, { dueAt: { gt: tooLate } }] },
    orderBy: { dueAt: 'asc' },
    take: batchSize,
  });
  const postponing: Promise<void>[] = [];
  const done = await runAtOnce<Due & { partnerSlug: string | null; attempts: number }>({
    lease: once(
      due.map((revert) => ({ ...revert, id: revert.organizationId, platformAccountId: null, processorId: null })),
    ),
    run: ({ id, partnerSlug }) => runPendingRevert(services, id, partnerSlug),
    failed: (error, { id, attempts }) =>
      void postponing.push(postponeRevert(services, { organizationId: id, attempts }, error)),
    stopping,
    most: revertsAtOnce,
  });
  await Promise.all(postponing);
  return done;
}

const never = new AbortController().signal;

async function runPendingRevert(
  { prisma, identityProvider }: Services,
  organizationId: string,
  partnerSlug: string | null,
): Promise<void> {
  await prisma.$transaction(async (tx) => {
    const organization = await tx.organization.findUnique({ where: { organizationId }, select: { accountId: true } });
    if (organization) await lockName(tx, `organization:${organization.accountId}`);
    // A change that was committed in the meantime has deleted the pending revert.
    const { count } = await tx.pendingRevert.deleteMany({ where: { organizationId } });
    if (count === 1 && organization) await identityProvider.setOrganizationPartner(organizationId, partnerSlug);
  });
}

async function postponeRevert(
  { prisma, clock, log }: Services,
  { organizationId, attempts }: { organizationId: string; attempts: number },
  error: unknown,
): Promise<void> {
  log.error(
    { err: error, organizationId, attempts: attempts + 1 },
    'The tag of an organization at the identity provider was not reverted. The job will try again.',
  );
  const dueAt = new Date(clock.now().getTime() + Math.min(retryMs.first * 2 ** attempts, retryMs.max));
  await prisma.pendingRevert.updateMany({
    where: { organizationId },
    data: { dueAt, attempts: { increment: 1 }, lastError: String(error) },
  });
}
