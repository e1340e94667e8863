import { sql } from '../../database/sql.ts';
import type { ProcessingAccount, Store } from '../../generated/prisma/client.ts';
import type { Context } from '../../graph/context.ts';
import { NotFound } from '../../kit/errors.ts';
import { newId } from '../../kit/ids.ts';
import type { Write } from '../../write/write.ts';
import type { CreateStoreInput } from './inputs.ts';

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
