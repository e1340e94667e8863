import type { Tenant } from '../../auth/tenancy.ts';
import { noSuch, ownRow } from '../../auth/visible.ts';
import type { TenantContext } from '../../call/context.ts';
import { sql } from '../../database/sql.ts';
import type { ProcessingAccount, Store } from '../../generated/prisma/client.ts';
import { invalid } from '../../lib/errors.ts';
import { newRow } from '../../lib/ids.ts';
import { assertRoom, type Write, write } from '../../unit-of-work/write.ts';
import type { CreateStoreInput, UpdateStoreInput } from './types.ts';

/** A charge without a store counts the stores of its account. */
const storesMax = 1_000;

export function createStore(context: TenantContext, input: typeof CreateStoreInput.$inferInput): Promise<Store> {
  const platformAccountId = accountNamed(context.tenant, input.platformAccountId);
  for (const name of ['presentmentCurrencies', 'chargeCurrencies'] as const) {
    if (input[name]?.length === 0) throw invalid(name, 'must contain at least one currency');
  }
  return write(context, 'createStore', async (change) => {
    const account = await ownRow(change.tx, context.tenant, 'processingAccount', platformAccountId);
    await assertRoom(change, account.id, {
      what: 'stores',
      max: storesMax,
      count: (where) => change.tx.store.count({ where }),
    });
    await lockPaymentFlow(change, account.id, input.paymentFlowId);
    return addStore(change, account, input);
  });
}

function accountNamed({ platformAccountId: own }: Tenant, given: string | null | undefined): string {
  const named = given ?? own;
  if (named === undefined) throw invalid('platformAccountId', 'is required with a partner key');
  if (own !== undefined && named !== own) throw noSuch('processingAccount', named);
  return named;
}

/**
 * Changes the given fields. A store named in the path is 404 like any other row; 403 is the answer for a `storeId`
 * that scopes a call (docs/errors-and-limits.md, 5).
 */
export function updateStore(
  context: TenantContext,
  storeId: string,
  input: typeof UpdateStoreInput.$inferInput,
): Promise<Store> {
  const { name, paymentFlowId } = input;
  return write(context, 'updateStore', async (change) => {
    const { tx, now, audit } = change;
    const before = await ownRow(tx, context.tenant, 'store', storeId);
    await lockPaymentFlow(change, before.platformAccountId, paymentFlowId);
    const data = { ...(name != null && { name }), ...(paymentFlowId !== undefined && { paymentFlowId }) };
    // The payment flow decides where the merchant's money goes, so a change of it is audited.
    audit({
      action: 'updateStore',
      target: storeId,
      before: { name: before.name, paymentFlowId: before.paymentFlowId },
      after: data,
    });
    return tx.store.update({ where: { id: storeId }, data: { ...data, updatedAt: now } });
  });
}

type NewStore = Pick<
  typeof CreateStoreInput.$inferInput,
  'name' | 'type' | 'baseCurrency' | 'presentmentCurrencies' | 'chargeCurrencies' | 'paymentFlowId'
>;

/** Adds a store within a database transaction of the caller. */
export function addStore({ tx, now }: Write, account: ProcessingAccount, input: NewStore): Promise<Store> {
  const baseCurrency = input.baseCurrency ?? account.currency;
  return tx.store.create({
    data: {
      ...newRow('store_', { ...account, platformAccountId: account.id }, now),
      name: input.name,
      type: input.type ?? 'platform',
      baseCurrency,
      presentmentCurrencies: currencies(input.presentmentCurrencies, baseCurrency),
      chargeCurrencies: currencies(input.chargeCurrencies, baseCurrency),
      paymentFlowId: input.paymentFlowId ?? null,
    },
  });
}

function currencies(given: readonly string[] | null | undefined, baseCurrency: string): string[] {
  return given == null ? [baseCurrency] : [...new Set(given)];
}

/** Locks the flow as a foreign key does, so that it cannot be deleted before the store refers to it. */
async function lockPaymentFlow(
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
  if (found.length === 0) throw noSuch('paymentFlow');
}
