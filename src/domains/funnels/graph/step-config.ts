import type { Prisma, Store } from '../../../generated/prisma/client.ts';
import { amountMax } from '../../../graph/scalars/amounts.ts';
import { type InputIssue, InvalidInput } from '../../../lib/errors.ts';
import type { FunnelGraph } from './rules.ts';

/**
 * The settings of a step, free-form and read by its page. The fields that the platform uses are checked, because they
 * determine what a visitor pays.
 */
export type StepConfig = Readonly<Record<string, unknown>>;

interface StepItem {
  name: string;
  quantity: number;
  unitAmount: number;
  /** The price at which it is sold. Name and amount are those of the price when the funnel was saved. */
  priceId?: string;
}

/** The amount that a step charges. */
export interface StepPrice {
  currency: string;
  amount: number;
  items: StepItem[];
}

const itemsMax = 20;
const bytesMax = 16_384;
const quantityMax = 1_000_000;
const patterns = {
  instanceId: /^.{1,100}$/s,
  paymentFlowId: /^.{1,100}$/s,
  path: /^\/[A-Za-z0-9/_.~-]{0,199}$/,
} as const;
const messages = {
  instanceId: 'must be the id of a plugin instance, prefix pin_',
  paymentFlowId: 'must be the id of a payment flow, prefix flow_',
  path: 'must begin with / and have at most 200 characters of A-Z, a-z, 0-9, /, _, ., ~ and -',
} as const;

/** The issues of a step's configuration. That of a variant is checked together with its step's, which it overrides. */
export function configIssues(config: StepConfig, path: string, base: StepConfig = {}): InputIssue[] {
  if (JSON.stringify(config).length > bytesMax)
    return [{ path, message: `must have at most ${bytesMax} characters as JSON` }];
  const issues: InputIssue[] = [];
  for (const name of ['instanceId', 'paymentFlowId', 'path'] as const) {
    const value = config[name];
    if (value != null && !(typeof value === 'string' && patterns[name].test(value)))
      issues.push({ path: `${path}.${name}`, message: messages[name] });
  }
  const { currency, items } = { ...base, ...config };
  if (config['currency'] != null && !isCurrency(config['currency']))
    issues.push({
      path: `${path}.currency`,
      message: 'must be an ISO 4217 currency code in upper case, such as "USD"',
    });
  if (config['items'] != null) issues.push(...itemsIssues(config['items'], `${path}.items`));
  if (items != null && currency == null) issues.push({ path: `${path}.currency`, message: 'is required with items' });
  return issues;
}

function itemsIssues(items: unknown, path: string): InputIssue[] {
  if (!Array.isArray(items) || items.length === 0 || items.length > itemsMax)
    return [{ path, message: `must be a list of 1 to ${itemsMax} items` }];
  const issues = items.flatMap((item: unknown, index) => itemIssues(item, `${path}[${index}]`));
  // without issues they are items; the amount of an item with a price may still be missing
  return issues.length === 0 ? sumIssues(items as StepItem[], path) : issues;
}

/** The issue of items whose sum exceeds the largest amount. An amount that is still missing counts as 0. */
function sumIssues(items: readonly StepItem[], path: string): InputIssue[] {
  return sumOf(items) > amountMax ? [{ path, message: `must not exceed a total of ${amountMax}` }] : [];
}

function itemIssues(item: unknown, path: string): InputIssue[] {
  if (typeof item !== 'object' || item === null || Array.isArray(item))
    return [{ path, message: 'must be an object with name, quantity and unitAmount, or with priceId and quantity' }];
  const { name, quantity, unitAmount, priceId, ...more } = item as Record<string, unknown>;
  const issues: InputIssue[] = [];
  if (priceId != null && !(typeof priceId === 'string' && /^.{1,100}$/s.test(priceId)))
    issues.push({ path: `${path}.priceId`, message: 'must be the id of a price, prefix price_' });
  // An item with a price needs neither a name nor an amount.
  const isPriced = priceId != null;
  if (!(isPriced && name == null) && (typeof name !== 'string' || name.trim() === '' || name.length > 200))
    issues.push({ path: `${path}.name`, message: 'must be a text of 1 to 200 characters that is not blank' });
  if (!isWhole(quantity, quantityMax))
    issues.push({ path: `${path}.quantity`, message: `must be a whole number from 1 to ${quantityMax}` });
  if (!(isPriced && unitAmount == null) && !isWhole(unitAmount, amountMax))
    issues.push({
      path: `${path}.unitAmount`,
      message: `must be a whole number of minor units from 1 to ${amountMax}`,
    });
  for (const field of Object.keys(more).slice(0, 5))
    issues.push({
      path: `${path}.${field.slice(0, 60)}`,
      message: 'is not a known field; known are name, quantity, unitAmount, priceId',
    });
  return issues;
}

function isWhole(value: unknown, max: number): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= max;
}

const currencies = new Set(Intl.supportedValuesOf('currency'));

function isCurrency(value: unknown): value is string {
  return typeof value === 'string' && currencies.has(value);
}

function sumOf(items: readonly StepItem[]): number {
  return items.reduce((sum, { quantity, unitAmount }) => sum + quantity * (unitAmount ?? 0), 0);
}

/** The configuration of a step, overridden by that of its variant. */
export function configOf(
  node: { config: StepConfig; variants: readonly { id: string; config: StepConfig }[] },
  variantId: string | null,
): StepConfig {
  return { ...node.config, ...node.variants.find(({ id }) => id === variantId)?.config };
}

/** The price of the step, from a configuration that was checked when it was saved; null if it charges nothing. */
export function priceOf({ currency, items }: StepConfig): StepPrice | null {
  if (!isCurrency(currency) || !Array.isArray(items) || items.length === 0) return null;
  const sold = items as StepItem[]; // checked by itemsIssues
  return { currency, amount: sumOf(sold), items: sold };
}

/** One of the string fields that the platform uses. */
export function textIn(config: StepConfig, name: 'instanceId' | 'paymentFlowId' | 'path'): string | null {
  const value = config[name];
  return typeof value === 'string' ? value : null;
}

type Price = Prisma.PriceGetPayload<{ include: { product: { select: { name: true } } } }>;

/**
 * The graph with the name and amount of every price that its items name. They are stored, so that what a version
 * charges never changes.
 */
export async function pricedGraph(
  tx: Prisma.TransactionClient,
  graph: FunnelGraph,
  { id: storeId, platformAccountId, partnerId, mode }: Store,
): Promise<FunnelGraph> {
  const ids = new Set(
    graph.nodes
      .flatMap(({ config, variants }) => [config, ...variants.map((variant) => variant.config)])
      .flatMap((config) => itemsIn(config).flatMap(({ priceId }) => priceId ?? [])),
  );
  if (ids.size === 0) return graph;
  const found = await tx.price.findMany({
    where: { id: { in: [...ids] }, storeId, platformAccountId, partnerId, mode },
    include: { product: { select: { name: true } } },
  });
  const prices = new Map(found.map((price) => [price.id, price]));
  const issues: InputIssue[] = [];
  const nodes = graph.nodes.map((node, index) => {
    const at = `nodes[${index}]`;
    const priced = (config: StepConfig, path: string): StepConfig =>
      pricedConfig(config, { ...node.config, ...config }['currency'], path, prices, issues);
    node.variants.forEach(({ config }, variant) =>
      issues.push(...currencyIssues(node.config, config, `${at}.variants[${variant}].config`, prices)),
    );
    return {
      ...node,
      config: priced(node.config, `${at}.config`),
      variants: node.variants.map((variant, place) => ({
        ...variant,
        config: priced(variant.config, `${at}.variants[${place}].config`),
      })),
    };
  });
  if (issues.length > 0) throw new InvalidInput(issues.slice(0, 100));
  return { ...graph, nodes };
}

/** The items of a checked configuration. The name and amount of an item with a price may be missing. */
function itemsIn({ items }: StepConfig): readonly StepItem[] {
  return Array.isArray(items) ? (items as StepItem[]) : []; // checked by itemsIssues
}

function pricedConfig(
  config: StepConfig,
  currency: unknown,
  path: string,
  prices: ReadonlyMap<string, Price>,
  issues: InputIssue[],
): StepConfig {
  const given = itemsIn(config);
  if (given.length === 0) return config;
  const items = given.map((item, index) => {
    if (item.priceId == null) return item;
    const at = `${path}.items[${index}]`;
    const price = prices.get(item.priceId);
    if (!price || price.recurring) {
      issues.push({
        path: `${at}.priceId`,
        message: price
          ? 'must be a price that is paid once: a funnel sells no subscriptions'
          : 'must be a price of the store',
      });
      return item;
    }
    const unitAmount = Number(price.amount);
    if (item.unitAmount != null && item.unitAmount !== unitAmount)
      issues.push({ path: `${at}.unitAmount`, message: `must match the price: ${unitAmount}, or be omitted` });
    if (price.currency !== currency)
      issues.push({ path: `${path}.currency`, message: `must match the price: ${price.currency}` });
    return { ...item, name: item.name ?? price.product.name, unitAmount };
  });
  if (issues.length === 0) issues.push(...sumIssues(items, `${path}.items`));
  return { ...config, items };
}

/** A variant that overrides only the currency sells the step's own items in it. */
function currencyIssues(
  base: StepConfig,
  { currency, items }: StepConfig,
  path: string,
  prices: ReadonlyMap<string, Price>,
): InputIssue[] {
  if (currency == null || items != null) return [];
  const other = itemsIn(base)
    .map(({ priceId }) => prices.get(priceId ?? ''))
    .find((price) => price !== undefined && price.currency !== currency);
  return other ? [{ path: `${path}.currency`, message: `must match the price: ${other.currency}` }] : [];
}
