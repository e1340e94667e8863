import { noSuch, visible } from '../../auth/visible.ts';
import type { TenantContext } from '../../call/context.ts';
import { sql } from '../../database/sql.ts';
import type { Prisma } from '../../generated/prisma/client.ts';
import { type InputIssue, InvalidInput, invalid } from '../../lib/errors.ts';
import { newId } from '../../lib/ids.ts';
import { oneOf, text } from '../../lists/filters.ts';
import { type ListArguments, type ListDefinition, type Page, readList } from '../../lists/read-list.ts';
import { write } from '../../unit-of-work/write.ts';
import { atStore } from '../stores/public.ts';
import type { CreateProductInput, Interval, PriceInput, PriceRow, ProductFilters, ProductRow } from './schema.ts';

const pricesMax = 50;

/** Adds a product with its prices. */
export function createProduct(
  context: TenantContext,
  input: typeof CreateProductInput.$inferInput,
): Promise<ProductRow> {
  assertPrices(input.prices);
  return atStore(context, input.storeId, ({ id: storeId, partnerId, platformAccountId, mode }) =>
    write(context, 'createProduct', async ({ tx, now }) => {
      const tenant = { partnerId, platformAccountId, mode, storeId };
      const product = await tx.product.create({
        data: {
          id: newId('prod_', now),
          ...tenant,
          name: input.name,
          description: input.description ?? null,
          createdAt: now,
          updatedAt: now,
        },
      });
      const prices = input.prices.map((price, position) => ({
        id: newId('price_', now),
        productId: product.id,
        ...tenant,
        position,
        ...termsOf(price),
        createdAt: now,
      }));
      await tx.price.createMany({ data: prices });
      return { ...product, prices };
    }),
  );
}

type Terms = typeof PriceInput.$inferInput;

function assertPrices(prices: readonly Terms[]): void {
  if (prices.length === 0 || prices.length > pricesMax) throw invalid('prices', `must contain 1 to ${pricesMax} items`);
  const issues = prices.flatMap((price, index) => issuesOf(price, `prices[${index}].`));
  if (issues.length > 0) throw new InvalidInput(issues);
}

/** A period lasts three years at most. */
const intervalCountMax: Readonly<Record<Interval, number>> = { day: 1095, week: 156, month: 36, year: 3 };
const trialDaysMax = 730;

function issuesOf({ recurring, interval, intervalCount, trialDays }: Terms, path: string): InputIssue[] {
  const issues: InputIssue[] = [];
  const repeats = recurring ?? interval != null;
  if (repeats && interval == null)
    issues.push({ path: `${path}interval`, message: 'is required for a recurring price' });
  if (!repeats)
    for (const [name, value] of Object.entries({ interval, intervalCount, trialDays }))
      if (value != null) issues.push({ path: path + name, message: 'is only for a recurring price' });
  if (interval != null && intervalCount != null && (intervalCount < 1 || intervalCount > intervalCountMax[interval]))
    issues.push({
      path: `${path}intervalCount`,
      message: `must be from 1 to ${intervalCountMax[interval]} with interval ${interval}`,
    });
  if (trialDays != null && (trialDays < 0 || trialDays > trialDaysMax))
    issues.push({ path: `${path}trialDays`, message: `must be from 0 to ${trialDaysMax}` });
  return issues;
}

function termsOf({ currency, amount, recurring, interval, intervalCount, trialDays }: Terms) {
  const repeats = recurring ?? interval != null;
  return {
    currency,
    amount,
    recurring: repeats,
    interval: interval ?? null,
    intervalCount: repeats ? (intervalCount ?? 1) : null,
    trialDays: trialDays || null,
  };
}

export async function readProduct(context: TenantContext, productId: string): Promise<ProductRow> {
  return visible(context, 'product', productId, { include: { prices: { orderBy: { position: 'asc' } } } });
}

type Filters = typeof ProductFilters.$inferInput;

const productList: ListDefinition<Filters> = {
  table: 'products',
  extra: {
    columns: sql`p.prices`,
    joins: sql`
      LEFT JOIN LATERAL (
        SELECT json_agg(p ORDER BY p.position) AS prices
        FROM prices p
        WHERE p."productId" = t.id
      ) p ON true`,
  },
  sorts: { createdAt: 'createdAt', name: 'name' },
  filters: { name: text('name'), storeId: oneOf('storeId') },
  counted: true,
};

export function listProducts(context: TenantContext, args: ListArguments<Filters>): Promise<Page<ProductRow>> {
  return readList(context.services.pool, context.tenant, productList, args);
}

/** The prices of an account by their ids; 404 if the account does not have one of them. */
export async function pricesOf(
  tx: Prisma.TransactionClient,
  tenant: { platformAccountId: string; partnerId: string; mode: string },
  ids: readonly string[],
): Promise<Map<string, PriceRow>> {
  const { platformAccountId, partnerId, mode } = tenant;
  const wanted = [...new Set(ids)];
  const found =
    wanted.length === 0
      ? []
      : await tx.price.findMany({ where: { id: { in: wanted }, platformAccountId, partnerId, mode } });
  if (found.length < wanted.length) throw noSuch('price');
  return new Map(found.map((price) => [price.id, price]));
}
