import { amountMax } from '../../graph/scalars/amounts.ts';
import type { InputIssue } from '../../kit/errors.ts';

/**
 * The settings of a step, free-form and read by its page. The fields that the platform uses are checked, because they
 * determine what a visitor pays.
 */
export type StepConfig = Readonly<Record<string, unknown>>;

export interface StepItem {
  name: string;
  quantity: number;
  unitAmount: number;
  /** The price it is sold at. Name and amount are those of the price when the funnel was saved. */
  priceId?: string;
}

/** What a step charges. */
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
  if (items != null && currency == null) issues.push({ path: `${path}.currency`, message: 'is required beside items' });
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
export function sumIssues(items: readonly StepItem[], path: string): InputIssue[] {
  return sumOf(items) > amountMax ? [{ path, message: `must come to at most ${amountMax} in all` }] : [];
}

function itemIssues(item: unknown, path: string): InputIssue[] {
  if (typeof item !== 'object' || item === null || Array.isArray(item))
    return [{ path, message: 'must be an object with name, quantity and unitAmount, or with priceId and quantity' }];
  const { name, quantity, unitAmount, priceId, ...more } = item as Record<string, unknown>;
  const issues: InputIssue[] = [];
  if (priceId != null && !(typeof priceId === 'string' && /^.{1,100}$/s.test(priceId)))
    issues.push({ path: `${path}.priceId`, message: 'must be the id of a price, prefix price_' });
  // An item with a price needs no name and no amount.
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

/** What the step charges, from a configuration that was checked when it was saved; null if it charges nothing. */
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
