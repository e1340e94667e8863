import type { ApiKeyCaller } from '../auth/caller.ts';
import { accountTenantOf, tenantOf } from '../auth/tenancy.ts';
import type { ProcessingAccount, Store } from '../generated/prisma/client.ts';
import type { KeyContext } from '../graph/context.ts';
import { date, oneOf, text } from '../graph/list-filters.ts';
import { type ListArguments, type ListDefinition, type Page, readList } from '../graph/lists.ts';
import { Forbidden, invalid, NotFound } from '../kit/errors.ts';
import { findStoredCall } from '../kit/idempotency.ts';
import { newId } from '../kit/ids.ts';
import { scopeOf, write, type Write } from '../kit/write.ts';
import type { CreateStoreInput, StoreFilters, UpdateStoreInput } from './schema.ts';

const storeList: ListDefinition<typeof StoreFilters.$inferInput> = {
  table: 'stores',
  sorts: { createdAt: 'createdAt', name: 'name' },
  filters: {
    name: text('name'),
    type: oneOf('type'),
    baseCurrency: oneOf('baseCurrency'),
    createdAt: date('createdAt'),
  },
  counted: true,
};

export function listStores(
  context: KeyContext,
  args: ListArguments<typeof StoreFilters.$inferInput>,
): Promise<Page<Store>> {
  return readList(context.env.pool, context.caller, storeList, args);
}

export function createStore(context: KeyContext, input: typeof CreateStoreInput.$inferInput): Promise<Store> {
  const accountId = accountNamed(context.caller, input.accountId);
  for (const name of ['presentmentCurrencies', 'chargeCurrencies'] as const) {
    if (input[name]?.length === 0) throw invalid(name, 'must name at least one currency');
  }
  return write(context, 'createStore', async (change) => {
    const account = await change.tx.processingAccount.findFirst({
      where: { AND: [accountTenantOf(context.caller), { id: accountId }] },
    });
    if (!account) throw noSuchAccount();
    await assertFlow(change, account.id, input.paymentFlowId);
    return addStore(change, account, input);
  });
}

/** Changes what is named. A store that is asked for by itself is 404 like any other row; 403 is for the store a call is about. */
export function updateStore(
  context: KeyContext,
  storeId: string,
  input: typeof UpdateStoreInput.$inferInput,
): Promise<Store> {
  const { name, paymentFlowId } = input;
  if (name === null) throw invalid('name', 'must not be null: leave it out instead');
  return write(context, 'updateStore', async (change) => {
    const { tx, now, audit } = change;
    const before = await tx.store.findFirst({ where: { ...tenantOf(context.caller), id: storeId } });
    if (!before) throw new NotFound('There is no such store.');
    await assertFlow(change, before.platformAccountId, paymentFlowId);
    const data = { ...(name !== undefined && { name }), ...(paymentFlowId !== undefined && { paymentFlowId }) };
    // Where its charges go is where the merchant's money goes: that somebody changed it is written down.
    audit({
      action: 'updateStore',
      target: storeId,
      before: { name: before.name, paymentFlowId: before.paymentFlowId },
      after: data,
    });
    return tx.store.update({ where: { id: storeId }, data: { ...data, updatedAt: now } });
  });
}

/** Locks the flow as a row that points at it would, so that it is there until the store points at it. */
async function assertFlow(
  { tx }: Write,
  platformAccountId: string,
  paymentFlowId: string | null | undefined,
): Promise<void> {
  if (paymentFlowId == null) return;
  const found = await tx.$queryRaw<
    unknown[]
  >`SELECT id FROM payment_flows WHERE id = ${paymentFlowId} AND "platformAccountId" = ${platformAccountId} FOR KEY SHARE`;
  if (found.length === 0) throw new NotFound('There is no such payment flow.');
}

function accountNamed(caller: ApiKeyCaller, accountId: string | null | undefined): string {
  if (caller.kind === 'partnerKey') {
    if (accountId == null) throw invalid('accountId', 'is required with a partner key');
    return accountId;
  }
  if (accountId != null && accountId !== caller.platformAccountId) throw noSuchAccount();
  return caller.platformAccountId;
}

function noSuchAccount(): NotFound {
  return new NotFound('There is no such account.');
}

type NewStore = Pick<
  typeof CreateStoreInput.$inferInput,
  'name' | 'type' | 'baseCurrency' | 'presentmentCurrencies' | 'chargeCurrencies' | 'paymentFlowId'
>;

/** Adds a store within a change that is under way. */
export function addStore({ tx, now }: Write, account: ProcessingAccount, input: NewStore): Promise<Store> {
  const baseCurrency = input.baseCurrency ?? account.currency;
  return tx.store.create({
    data: {
      id: newId('store', now),
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

/**
 * The store a call is about: the one it names, or the only one of a sub-key's account. A `storeId` outside the key's scope is
 * 403 whether it exists or not (contract 5), so that no key can find out which stores there are.
 */
export async function storeOf(context: KeyContext, storeId: string | null | undefined): Promise<Store> {
  const { caller, env } = context;
  if (storeId != null) {
    const store = await env.prisma.store.findFirst({ where: { ...tenantOf(caller), id: storeId } });
    if (!store) throw storeOutOfScope();
    return store;
  }
  if (caller.kind === 'partnerKey') throw storeRequired('is required with a partner key');
  const [store, ...more] = await env.prisma.store.findMany({ where: tenantOf(caller), take: 2 });
  if (!store || more.length > 0) throw storeRequired('is required: the account has several stores');
  return store;
}

/**
 * Does something at the store a call is about. When the store cannot be had now, a call that was answered before keeps its
 * answer: an account may have got a second store since.
 */
export async function atStore<Result>(
  context: KeyContext,
  operation: string,
  storeId: string | null | undefined,
  act: (store: Store) => Promise<Result>,
): Promise<Result> {
  const found = await storeOf(context, storeId).catch((refusal: unknown) => ({ refusal }));
  if (!('refusal' in found)) return act(found);
  const scope = scopeOf(context, operation);
  const stored = scope && (await findStoredCall(context.env.pool, scope).catch(() => null));
  if (!stored) throw found.refusal;
  context.replayed = true;
  return stored.answer as Result; // what `act` gave then
}

export function storeOutOfScope(): Forbidden {
  return new Forbidden('forbidden_scope', 'The storeId is outside the scope of this API key.');
}

export function storeRequired(message: string) {
  return invalid('storeId', message);
}
