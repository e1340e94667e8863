import type { Order } from '../../generated/prisma/client.ts';
import type { KeyContext } from '../../graph/context.ts';
import { amountMax } from '../../graph/scalars/amounts.ts';
import { type InputIssue, InvalidInput, invalid } from '../../kit/errors.ts';
import { write } from '../../write/write.ts';
import { noSuchCustomer } from '../customers/public.ts';
import { type PriceRow, pricesOf } from '../products/public.ts';
import { atStore } from '../stores/public.ts';
import { atCustomersTime } from '../test-clocks/public.ts';
import type { CreateOrderInput } from './inputs.ts';
import { addOrder } from './order-rows.ts';

type OrderInput = typeof CreateOrderInput.$inferInput;

const itemsMax = 100;

/** Adds an order, which becomes the `lastOrderId` of its customer. */
export function createOrder(context: KeyContext, input: OrderInput): Promise<Order> {
  const amount = amountOf(input);
  return atStore(context, input.storeId, (store) =>
    atCustomersTime(context, input.customerId == null ? null : { customerId: input.customerId }, () =>
      write(context, 'createOrder', async (change) => {
        const customerId = input.customerId ?? null;
        const { platformAccountId, mode } = store;
        if (customerId !== null) {
          const where = { id: customerId, platformAccountId, mode };
          if (!(await change.tx.customer.findFirst({ where, select: { id: true } }))) throw noSuchCustomer();
        }
        const priceIds = input.items.flatMap(({ priceId }) => priceId ?? []);
        assertSoldAt(await pricesOf(change.tx, store, priceIds), input, store.id);
        return addOrder(change, store, { ...input, customerId, amount });
      }),
    ),
  );
}

function amountOf({ items }: OrderInput): number {
  if (items.length === 0 || items.length > itemsMax) throw invalid('items', `must have 1 to ${itemsMax} entries`);
  const amount = items.reduce((sum, { quantity, unitAmount }) => sum + quantity * unitAmount, 0);
  if (amount > amountMax) throw invalid('items', `must come to at most ${amountMax} in all`);
  return amount;
}

/** An item that names a price must have its store, its amount and its currency. */
function assertSoldAt(prices: ReadonlyMap<string, PriceRow>, { items, currency }: OrderInput, storeId: string): void {
  const issues = items.flatMap(({ priceId, unitAmount }, index): InputIssue[] => {
    const price = priceId == null ? undefined : prices.get(priceId);
    if (!price) return [];
    const at = `items[${index}]`;
    return [
      ...(price.storeId === storeId ? [] : [{ path: `${at}.priceId`, message: 'must be a price of the store' }]),
      ...(Number(price.amount) === unitAmount
        ? []
        : [{ path: `${at}.unitAmount`, message: `must be that of the price, ${price.amount}` }]),
      ...(price.currency === currency
        ? []
        : [{ path: 'currency', message: `must be that of the price, ${price.currency}` }]),
    ];
  });
  if (issues.length > 0) throw new InvalidInput(issues);
}
