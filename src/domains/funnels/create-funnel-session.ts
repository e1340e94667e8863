import { tenantOf } from '../../auth/tenancy.ts';
import type { Funnel, FunnelSession, Store } from '../../generated/prisma/client.ts';
import type { KeyContext } from '../../graph/context.ts';
import { invalid, NotFound } from '../../kit/errors.ts';
import { type Write, write } from '../../write/write.ts';
import { noSuchCustomer } from '../customers/public.ts';
import { atStore } from '../stores/public.ts';
import { noSuchFunnel } from './funnel-rows.ts';
import type { CreateFunnelSessionInput } from './inputs.ts';
import { startSession } from './start-session.ts';

/** Creates a session at the entry of a funnel, in its current version. */
export async function createFunnelSession(
  context: KeyContext,
  input: typeof CreateFunnelSessionInput.$inferInput,
): Promise<FunnelSession> {
  const funnelId = input.funnelId ?? null;
  const customerId = input.customerId ?? null;
  // The id of a funnel implies its store.
  const storeId = input.storeId ?? (funnelId === null ? null : await storeIdOf(context, funnelId));
  return atStore(context, storeId, (store) =>
    write(context, 'createFunnelSession', async (change) => {
      const funnel = await findFunnelOf(change.tx, store, funnelId);
      if (customerId !== null) await assertCustomer(change.tx, store, customerId);
      return startSession(context, change, funnel, customerId);
    }),
  );
}

async function storeIdOf({ services, caller }: KeyContext, funnelId: string): Promise<string> {
  const where = { ...tenantOf(caller), id: funnelId };
  const funnel = await services.prisma.funnel.findFirst({ where, select: { storeId: true } });
  if (!funnel) throw noSuchFunnel();
  return funnel.storeId;
}

async function findFunnelOf(
  tx: Write['tx'],
  { id: storeId, platformAccountId, mode }: Store,
  funnelId: string | null,
): Promise<Funnel> {
  const funnel = await tx.funnel.findFirst({
    where: funnelId === null ? { storeId, isDefault: true } : { id: funnelId, platformAccountId, mode },
  });
  if (!funnel && funnelId === null) throw new NotFound('The store has no default funnel: name a funnelId.');
  if (!funnel) throw noSuchFunnel();
  if (funnel.storeId !== storeId) throw invalid('funnelId', 'belongs to another store of the account');
  return funnel;
}

async function assertCustomer(tx: Write['tx'], { platformAccountId, mode }: Store, id: string): Promise<void> {
  const where = { id, platformAccountId, mode };
  if (!(await tx.customer.findFirst({ where, select: { id: true } }))) throw noSuchCustomer();
}
