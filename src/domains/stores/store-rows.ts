import { tenantOf } from '../../auth/tenancy.ts';
import type { Context, KeyContext } from '../../call/context.ts';
import { sql } from '../../database/sql.ts';
import type { ProcessingAccount, Store } from '../../generated/prisma/client.ts';
import { Forbidden, invalid, NotFound } from '../../lib/errors.ts';
import { newId } from '../../lib/ids.ts';
import type { Services } from '../../services.ts';
import { type Brand, brandFields, brandOf } from '../../theme/brand.ts';
import type { Write } from '../../unit-of-work/write.ts';
import type { CreateStoreInput } from './types.ts';

type NewStore = Pick<
  typeof CreateStoreInput.$inferInput,
  'name' | 'type' | 'baseCurrency' | 'presentmentCurrencies' | 'chargeCurrencies' | 'paymentFlowId'
>;

/** Adds a store within a database transaction of the caller. */
export function addStore({ tx, now }: Write, account: ProcessingAccount, input: NewStore): Promise<Store> {
  const baseCurrency = input.baseCurrency ?? account.currency;
  return tx.store.create({
    data: {
      id: newId('store_', now),
      partnerId: account.partnerId,
      platformAccountId: account.id,
      mode: account.mode,
      name: input.name,
      type: input.type ?? 'platform',
      baseCurrency,
      presentmentCurrencies: currencies(input.presentmentCurrencies, baseCurrency),
      chargeCurrencies: currencies(input.chargeCurrencies, baseCurrency),
      paymentFlowId: input.paymentFlowId ?? null,
      createdAt: now,
      updatedAt: now,
    },
  });
}

function currencies(given: readonly string[] | null | undefined, baseCurrency: string): string[] {
  return given == null ? [baseCurrency] : [...new Set(given)];
}

/** Locks the flow as a foreign key does, so that it cannot be deleted before the store refers to it. */
export async function lockPaymentFlow(
  { tx }: Write,
  platformAccountId: string,
  paymentFlowId: string | null | undefined,
): Promise<void> {
  if (paymentFlowId == null) return;
  const found = await tx.$queryRaw<unknown[]>(sql`
    SELECT id
    FROM payment_flows
    WHERE id = ${paymentFlowId} AND "platformAccountId" = ${platformAccountId}
    FOR KEY SHARE`);
  if (found.length === 0) throw new NotFound('There is no such payment flow.');
}

/** The name of a store whose row was read without it. Prisma batches the look-ups of one request. */
export async function storeNameOf(context: Context, storeId: string): Promise<string> {
  const store = await context.services.prisma.store.findUniqueOrThrow({
    where: { id: storeId },
    select: { name: true },
  });
  return store.name;
}

/** The stores of an account that is visible to the caller. Prisma batches the look-ups of one request. */
export async function storesOfAccount(context: Context, accountId: string): Promise<Store[]> {
  const stores = await context.services.prisma.processingAccount
    .findUnique({ where: { id: accountId } })
    .stores({ orderBy: [{ createdAt: 'asc' }, { id: 'asc' }] });
  return stores ?? [];
}

/** Runs an operation at the store of the call. */
export async function atStore<Result>(
  context: KeyContext,
  storeId: string | null | undefined,
  act: (store: Store) => Result | Promise<Result>,
): Promise<Result> {
  return act(await storeOf(context, storeId));
}

/**
 * The store of a call: the given one, or the only store of a sub-key's account. A `storeId` outside the scope of the
 * API key is 403 whether it exists or not (docs/contract/05-errors.md), so that no key can find out which stores exist.
 */
export async function storeOf(context: KeyContext, storeId: string | null | undefined): Promise<Store> {
  const { caller, services } = context;
  if (storeId != null) {
    const store = await services.prisma.store.findFirst({ where: { ...tenantOf(caller), id: storeId } });
    if (!store) throw storeOutOfScope();
    return store;
  }
  if (caller.kind === 'partnerKey') throw storeRequired('is required with a partner key');
  const [store, ...more] = await services.prisma.store.findMany({ where: tenantOf(caller), take: 2 });
  if (!store || more.length > 0) throw storeRequired('is required: the account has several stores');
  return store;
}

export function storeOutOfScope(): Forbidden {
  return new Forbidden('forbidden_scope', 'The storeId is outside the scope of this API key.');
}

export function storeRequired(message: string) {
  return invalid('storeId', message);
}

/** The brand of the partner of a store, for a page that its shoppers see. Null if there is no such store. */
export async function brandOfStore({ prisma }: Pick<Services, 'prisma'>, storeId: string): Promise<Brand | null> {
  if (!/^store_[0-9A-Za-z]{1,64}$/.test(storeId)) return null;
  const found = await prisma.store.findUnique({
    where: { id: storeId },
    select: { account: { select: { partner: { select: brandFields } } } },
  });
  return found && brandOf(found.account.partner);
}
