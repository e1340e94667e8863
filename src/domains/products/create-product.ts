import type { KeyContext } from '../../graph/context.ts';
import { type InputIssue, InvalidInput, invalid } from '../../kit/errors.ts';
import { newId } from '../../kit/ids.ts';
import { write } from '../../write/write.ts';
import { atStore } from '../stores/public.ts';
import type { CreateProductInput, PriceInput } from './inputs.ts';
import type { Interval, ProductRow } from './types.ts';

const pricesMax = 50;

/** Adds a product with its prices. */
export function createProduct(context: KeyContext, input: typeof CreateProductInput.$inferInput): Promise<ProductRow> {
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
  if (prices.length === 0 || prices.length > pricesMax) throw invalid('prices', `must have 1 to ${pricesMax} entries`);
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
