import { visiblePartnerId } from '../../auth/visibility.ts';
import type { SessionContext } from '../../call/context.ts';
import { sql } from '../../database/sql.ts';
import type { SavedView } from '../../generated/prisma/client.ts';
import { runAuditedChange } from '../../iam/public.ts';
import { Conflict, NotFound } from '../../lib/errors.ts';
import { newId } from '../../lib/ids.ts';

/** The most views of a user as staff of a partner, or as internal staff, over all lists. */
export const ownViewsMax = 100;

/** The most views that a list of them contains. */
export const shownViewsMax = 500;

/** A view with the email address of its owner. */
export type SavedViewRow = SavedView & { owner: { email: string } };

const include = { owner: { select: { email: true } } } as const;

/**
 * The views of a list that the caller has saved, and those that others of the same partner, or of the staff, share. The
 * views of someone who has left are not shared any more.
 */
export async function readSavedViews(context: SessionContext, list: string): Promise<SavedViewRow[]> {
  const { services, caller } = context;
  const { whitelabelOwnership } = caller;
  const mate = { whitelabelOwnership, platformRoles: { isEmpty: false }, banned: false, deletedAt: null };
  return services.prisma.savedView.findMany({
    where: {
      list,
      partnerId: await visiblePartnerId(context),
      OR: [{ isShared: true, owner: mate }, { ownerId: caller.userId }],
    },
    include,
    orderBy: [{ name: 'asc' }, { id: 'asc' }],
    take: shownViewsMax,
  });
}

interface ViewToSave {
  list: string;
  name: string;
  query: string;
  isShared: boolean;
}

/** Saves a view of the caller. One of the same list and name is replaced. */
export async function saveView(context: SessionContext, { list, name, query, isShared }: ViewToSave) {
  const ownerId = context.caller.userId;
  const partnerId = await visiblePartnerId(context);
  const attempt = { action: 'saveView', target: `${list} ${name}` };
  return runAuditedChange<SavedViewRow>(context, attempt, async ({ tx, now, audit }) => {
    // Two changes of the views of one user wait for each other.
    await tx.$queryRaw(sql`SELECT pg_advisory_xact_lock(hashtextextended(${`saved-views/${ownerId}`}, 0))::text`);
    const key = { ownerId_list_name: { ownerId, list, name } };
    const before = await tx.savedView.findUnique({ where: key });
    if (!before && (await tx.savedView.count({ where: { ownerId, partnerId } })) >= ownViewsMax)
      throw new Conflict('limit_reached', `A user has at most ${ownViewsMax} saved views. Delete one first.`);
    const values = { partnerId, query, isShared, updatedAt: now };
    audit({ ...attempt, before: before && shownOf(before), after: { query, isShared }, partnerId });
    return tx.savedView.upsert({
      where: key,
      update: values,
      create: { id: newId('view_', now), ownerId, list, name, createdAt: now, ...values },
      include,
    });
  });
}

/** Deletes a view of the caller. Those of others are as if they were not there. */
export function deleteView(context: SessionContext, id: string): Promise<SavedViewRow> {
  const attempt = { action: 'deleteView', target: id };
  return runAuditedChange<SavedViewRow>(context, attempt, async ({ tx, audit }) => {
    const found = await tx.savedView.findUnique({ where: { id, ownerId: context.caller.userId }, include });
    if (!found) throw new NotFound('View not found.');
    await tx.savedView.delete({ where: { id } });
    audit({
      ...attempt,
      before: { list: found.list, name: found.name, ...shownOf(found) },
      partnerId: found.partnerId,
    });
    return found;
  });
}

const shownOf = ({ query, isShared }: SavedView) => ({ query, isShared });
