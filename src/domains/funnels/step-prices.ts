import type { Prisma, Store } from '../../generated/prisma/client.ts';
import { type InputIssue, InvalidInput } from '../../kit/errors.ts';
import type { FunnelGraph } from './graph-rules.ts';
import { type StepConfig, type StepItem, sumIssues } from './step-config.ts';

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
      issues.push({ path: `${at}.unitAmount`, message: `must be that of the price, ${unitAmount}, or be left out` });
    if (price.currency !== currency)
      issues.push({ path: `${path}.currency`, message: `must be that of the price, ${price.currency}` });
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
  return other ? [{ path: `${path}.currency`, message: `must be that of the price, ${other.currency}` }] : [];
}
