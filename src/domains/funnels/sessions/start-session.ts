import { assertOpenToVisitors } from '../../../auth/charging-status.ts';
import { noSuch, ownRow, requireRow } from '../../../auth/visible.ts';
import { type TenantContext, visitorContext } from '../../../call/context.ts';
import type { Funnel, FunnelSession, Store } from '../../../generated/prisma/client.ts';
import { invalid, NotFound } from '../../../lib/errors.ts';
import { newRow } from '../../../lib/ids.ts';
import type { Services } from '../../../services.ts';
import type { Brand } from '../../../theme/brand.ts';
import { type Write, write } from '../../../unit-of-work/write.ts';
import { assertNotDeleted } from '../../customers/public.ts';
import { atStore, brandOfStore } from '../../stores/public.ts';
import { urlOfSession, type VisitFrom } from '../checkout/visit.ts';
import { countFigures, figuresOfEntry } from '../figures.ts';
import { storedGraph } from '../graph/funnel-rows.ts';
import { enterStep, entryOf, isEnd, recordStepEvents } from '../graph/next-step.ts';
import { textIn } from '../graph/step-config.ts';
import type { CreateFunnelSessionInput } from '../inputs.ts';
import { abandonedAfterMs, addSession, checkoutToken, graphOf, tokenHashOf } from './rows.ts';

/** Creates a session at the entry of a funnel, in a transaction in progress. */
async function startSession(
  { services }: Pick<TenantContext, 'services'>,
  change: Write,
  funnel: Funnel,
  customerId: string | null,
): Promise<FunnelSession> {
  const { tx, now } = change;
  const { id: funnelId, version, storeId } = funnel;
  const graph = await graphOf(tx, { funnelId, version });
  const row = newRow('fs_', funnel, now);
  const blank: FunnelSession = {
    ...row,
    storeId,
    funnelId,
    version,
    customerId,
    paymentInstrumentId: null,
    variantKey: customerId ?? row.id,
    tokenHash: tokenHashOf(checkoutToken(services.config, row.id)),
    currentStepId: '',
    variantId: null,
    status: 'active',
    moves: 0,
    convertedAt: null,
    expiresAt: new Date(now.getTime() + abandonedAfterMs),
    sequence: 0,
  };
  const entered = enterStep(graph, blank, entryOf(graph).id, now);
  const converted = entered.convertedAt !== null;
  const session = await addSession(tx, { ...entered, sequence: converted ? 2 : 1 });
  recordStepEvents(change, session, 0, { converted, done: isEnd(graph, session.currentStepId) });
  await countFigures(change, funnelId, [
    { stepId: '', variantId: null, measure: 'sessions', n: 1 },
    ...figuresOfEntry(session, converted),
  ]);
  return session;
}

/** Creates a session at the entry of a funnel, in its current version. */
export async function createFunnelSession(
  context: TenantContext,
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

async function storeIdOf({ services, tenant }: TenantContext, funnelId: string): Promise<string> {
  return (await ownRow(services.prisma, tenant, 'funnel', funnelId)).storeId;
}

async function findFunnelOf(
  tx: Write['tx'],
  { id: storeId, platformAccountId, mode }: Store,
  funnelId: string | null,
): Promise<Funnel> {
  const funnel = await tx.funnel.findFirst({
    where: funnelId === null ? { storeId, isDefault: true } : { id: funnelId, platformAccountId, mode },
  });
  if (!funnel && funnelId === null) throw new NotFound('The store has no default funnel: specify a funnelId.');
  if (!funnel) throw noSuch('funnel');
  if (funnel.storeId !== storeId) throw invalid('funnelId', 'belongs to another store of the account');
  return funnel;
}

async function assertCustomer(tx: Write['tx'], { platformAccountId, mode }: Store, id: string): Promise<void> {
  assertNotDeleted(await requireRow(tx, 'customer', { id, platformAccountId, mode }));
}

/** Starts a session for a visitor who opens the funnel's own URL, and returns the URL of its first page. */
export async function enterFunnel(
  services: Services,
  funnelId: string,
  from: Omit<VisitFrom, 'token'>,
): Promise<string> {
  const found = /^funnel_[0-9A-Za-z]{1,64}$/.test(funnelId)
    ? await services.prisma.funnel.findUnique({
        where: { id: funnelId },
        include: { store: { include: { account: { include: { partner: { select: { status: true } } } } } } },
      })
    : null;
  if (!found) throw noSuch('funnel');
  const { store, ...funnel } = found;
  assertOpenToVisitors(store.account);
  // A session without a page is not started, so that it does not count in the figures.
  if (!hasPage(funnel)) throw noPageError();
  const context = visitorContext(services, funnel, from);
  const session = await write(context, 'enterFunnel', (change) => startSession(context, change, funnel, null));
  const url = await urlOfSession(services, session);
  if (url === null) throw noPageError();
  return url;
}

/** Whether the funnel's own URL can lead to a page. */
function hasPage(funnel: Parameters<typeof storedGraph>[0]): boolean {
  const { config, variants } = entryOf(storedGraph(funnel));
  return [config, ...variants.map((variant) => variant.config)].some((each) => textIn(each, 'instanceId') !== null);
}

function noPageError(): NotFound {
  return new NotFound('The funnel has no entry page: its plugin is not mounted.');
}

/** The identifier in an address of a checkout: the id of a funnel, the token of a session, or the id of a session. */
export interface VisitAddress {
  funnelId?: string | undefined;
  token?: string | undefined;
  sessionId?: string | undefined;
}

/** The brand of a checkout that cannot be opened, and the funnel for a new session. */
export interface VisitPlace {
  brand: Brand | null;
  /** The funnel whose URL starts another session. Null if it was deleted or has no page. */
  funnelId: string | null;
}

/** Null if the address never identified anything. */
export async function readVisitPlace(
  services: Pick<Services, 'prisma'>,
  { funnelId, token, sessionId }: VisitAddress,
): Promise<VisitPlace | null> {
  const { prisma } = services;
  const fields = { storeId: true, funnelId: true } as const;
  const session =
    token !== undefined
      ? await prisma.funnelSession.findUnique({ where: { tokenHash: tokenHashOf(token) }, select: fields })
      : sessionId !== undefined
        ? await prisma.funnelSession.findUnique({ where: { id: safeId(sessionId) }, select: fields })
        : null;
  const id = session?.funnelId ?? funnelId;
  const funnel = id === undefined ? null : await prisma.funnel.findUnique({ where: { id: safeId(id) } });
  const storeId = session?.storeId ?? funnel?.storeId;
  if (storeId === undefined) return null;
  return { brand: await brandOfStore(services, storeId), funnelId: funnel && hasPage(funnel) ? funnel.id : null };
}

/** A path may contain any character. The database rejects some of them. */
function safeId(id: string): string {
  return /^\w{1,80}$/.test(id) ? id : '';
}
