import { type InputIssue, InvalidInput } from '../kit/errors.ts';
import type { Mode } from '../kit/mode.ts';
import { faultOptions } from './test-faults.ts';

export const processorTypes = ['test', 'stripe'] as const;
export type ProcessorType = (typeof processorTypes)[number];

/** One setting of a type of processor. */
export interface ProcessorOption {
  description: string;
  /** Kept encrypted, and never answered again. */
  isSecret?: true;
  /** What is wrong with a value, or null. */
  refusalOf(value: unknown, mode: Mode): string | null;
}

/** What each type is set up with. Nothing else is taken. */
export const processorOptions: Readonly<Record<ProcessorType, Readonly<Record<string, ProcessorOption>>>> = {
  test: faultOptions,
  stripe: {
    secretKey: {
      isSecret: true,
      description:
        'The secret or restricted API key: `sk_test_…` or `rk_test_…` in test mode, `sk_live_…` or `rk_live_…` in live mode.',
      refusalOf: keyRefusal,
    },
    webhookSecret: {
      isSecret: true,
      description: 'What the signatures of its webhooks are verified with, `whsec_…`.',
      refusalOf: (value) => (isToken(value, /^whsec_/) ? null : 'must be a text that begins with whsec_'),
    },
    accountId: {
      description: 'The connected account to act for, `acct_…`.',
      refusalOf: (value) => (isToken(value, /^acct_/) ? null : 'must be a text that begins with acct_'),
    },
    accessToken: {
      isSecret: true,
      description:
        'What connecting got (`/processors/cardprocessor-connect/initiate`). It is not taken here; null disconnects.',
      refusalOf: () => 'is got by connecting alone; null takes it away',
    },
    refreshToken: {
      isSecret: true,
      description: 'The same.',
      refusalOf: () => 'is got by connecting alone; null takes it away',
    },
  },
};

/** What names a processor's credential: with one of these it is connected. The built-in one needs none. */
const credentials: Readonly<Record<ProcessorType, readonly string[] | null>> = {
  test: null,
  stripe: ['secretKey', 'accessToken'],
};

export function isConnected(type: ProcessorType, secretNames: readonly string[]): boolean {
  return credentials[type]?.some((name) => secretNames.includes(name)) ?? true;
}

/** Options as they are asked for: what is set, and what is taken away by null. */
export interface OptionChanges {
  options: Record<string, unknown>;
  secrets: Record<string, string>;
  removed: string[];
}

/** Parts what is given into settings and secrets, and refuses what the type does not take, naming each field. */
export function optionChanges(
  type: ProcessorType,
  mode: Mode,
  given: Readonly<Record<string, unknown>>,
): OptionChanges {
  const changes: OptionChanges = { options: {}, secrets: {}, removed: [] };
  const issues: InputIssue[] = [];
  const table = processorOptions[type];
  for (const [name, value] of Object.entries(given)) {
    const option = Object.hasOwn(table, name) ? table[name] : undefined;
    const message = option
      ? value === null
        ? null
        : option.refusalOf(value, mode)
      : `is not an option of a ${type} processor: ${namesOf(type)}`;
    if (message !== null) issues.push({ path: `options.${name}`, message });
    else if (value === null) changes.removed.push(name);
    else if (option?.isSecret)
      changes.secrets[name] = value as string; // refusalOf has let texts alone pass
    else changes.options[name] = value;
  }
  if (issues.length > 0) throw new InvalidInput(issues);
  return changes;
}

/** The options of every type in a sentence each, for the description of the field that takes them. */
export function optionsInWords(): string {
  return processorTypes
    .map(
      (type) =>
        `\`${type}\`: ${
          Object.entries(processorOptions[type])
            .map(([name, { description, isSecret }]) => `\`${name}\`${isSecret ? ' (secret)' : ''} – ${description}`)
            .join(' ') || 'none.'
        }`,
    )
    .join('\n\n');
}

function namesOf(type: ProcessorType): string {
  const names = Object.keys(processorOptions[type]);
  return names.length === 0 ? 'it takes none' : `it takes ${names.join(', ')}`;
}

const tokenLengthMax = 255;

function isToken(value: unknown, begins: RegExp): value is string {
  return typeof value === 'string' && value.length <= tokenLengthMax && begins.test(value) && /^[!-~]+$/.test(value);
}

/** A key of the other mode would move real money in a test, or none in earnest. */
function keyRefusal(value: unknown, mode: Mode): string | null {
  return isToken(value, new RegExp(`^[sr]k_${mode}_.`))
    ? null
    : `must be a key of ${mode} mode, which begins with sk_${mode}_ or rk_${mode}_`;
}
