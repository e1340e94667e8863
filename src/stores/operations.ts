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
import type { CreateStoreInput, StoreFilters } from './schema.ts';

const storeList: ListDefinition<typeof StoreFilters.$inferInput> = {
  table: 'stores',
  sorts: { createdAt: 'createdAt', name: 'name' },
  filters: { name: text('name'), type: oneOf('type'), baseCurrency: oneOf('baseCurrency'), createdAt: date('createdAt') },
  counted: true,
};

export function listStores(context: KeyContext, args: ListArguments<typeof StoreFilters.$inferInput>): Promise<Page<Store>> {
  return readList(context.env.pool, context.caller, storeList, args);
}

export function createStore(context: KeyContext, input: typeof CreateStoreInput.$inferInput): Promise<Store> {
  const accountId = accountNamed(context.caller, input.accountId);
  for (const name of ['presentmentCurrencies', 'chargeCurrencies'] as const) {
    if (input[name]?.length === 0) throw invalid(name, 'must name at least one currency');
  }
  return write(context, 'createStore', async (change) => {
    const account = await change.tx.processingAccount.findFirst({ where: { AND: [accountTenantOf(context.caller), { id: accountId }] } });
    if (!account) throw noSuchAccount();
    return addStore(change, account, input);
  });
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

type NewStore = Pick<typeof CreateStoreInput.$inferInput, 'name' | 'type' | 'baseCurrency' | 'presentmentCurrencies' | 'chargeCurrencies'>;

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
export async function atStore<Result>(context: KeyContext, operation: string, storeId: string | null | undefined, act: (store: Store) => Promise<Result>): Promise<Result> {
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
