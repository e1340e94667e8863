import { type InputIssue, InvalidInput } from '../../lib/errors.ts';
import type { Mode } from '../../lib/ids.ts';
import { faultOptions } from '../../ports/test-processor.ts';

const processorTypes = ['test', 'stripe'] as const;
export type ProcessorType = (typeof processorTypes)[number];

/** One option of a processor type. */
interface ProcessorOption {
  description: string;
  /** Stored encrypted and not returned. */
  isSecret?: true;
  /** The error of a value, or null. */
  refusalOf(value: unknown, mode: Mode): string | null;
}

/** The options of each processor type. All others are rejected. */
const processorOptions: Readonly<Record<ProcessorType, Readonly<Record<string, ProcessorOption>>>> = {
  test: faultOptions,
  stripe: {
    secretKey: {
      isSecret: true,
      description:
        'The secret or restricted API key: `sk_test_…` or `rk_test_…` in test mode, `sk_live_…` or `rk_live_…` ' +
        'in live mode.',
      refusalOf: keyRefusal,
    },
    webhookSecret: {
      isSecret: true,
      description: 'The signing secret of its webhooks, `whsec_…`.',
      refusalOf: (value) => (isToken(value, /^whsec_/) ? null : 'must be a text that begins with whsec_'),
    },
    accountId: {
      description: 'The connected account on whose behalf calls are made, `acct_…`.',
      refusalOf: (value) => (isToken(value, /^acct_/) ? null : 'must be a text that begins with acct_'),
    },
    accessToken: {
      isSecret: true,
      description:
        'The access token obtained by connecting (`/processors/cardprocessor-connect/initiate`). It cannot be set ' +
        'here; null disconnects the processor.',
      refusalOf: () => 'is set by OAuth only; null removes it',
    },
    refreshToken: {
      isSecret: true,
      description: 'The refresh token obtained by connecting. It cannot be set here; null removes it.',
      refusalOf: () => 'is set by OAuth only; null removes it',
    },
  },
};

/** The options that are credentials: a processor with one of them is connected. The test processor needs none. */
const credentials: Readonly<Record<ProcessorType, readonly string[] | null>> = {
  test: null,
  stripe: ['secretKey', 'accessToken'],
};

export function isConnected(type: ProcessorType, secretNames: readonly string[]): boolean {
  return credentials[type]?.some((name) => secretNames.includes(name)) ?? true;
}

/** Requested changes of options: values to set, and names to remove (null). */
export interface OptionChanges {
  options: Record<string, unknown>;
  secrets: Record<string, string>;
  removed: string[];
}

/** Separates options from secrets. 400 names every field that the type does not accept. */
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
      changes.secrets[name] = value as string; // refusalOf accepts strings only for secrets
    else changes.options[name] = value;
  }
  if (issues.length > 0) throw new InvalidInput(issues);
  return changes;
}

/** Describes the options of every type, for the public description of the field. */
export function describeOptions(): string {
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
  return names.length === 0 ? 'it has no options' : `its options are ${names.join(', ')}`;
}

const tokenLengthMax = 255;

function isToken(value: unknown, begins: RegExp): value is string {
  return typeof value === 'string' && value.length <= tokenLengthMax && begins.test(value) && /^[!-~]+$/.test(value);
}

/** A key of the other mode would move real money in test mode, or none in live mode. */
function keyRefusal(value: unknown, mode: Mode): string | null {
  return isToken(value, new RegExp(`^[sr]k_${mode}_.`))
    ? null
    : `must be a key of ${mode} mode, which begins with sk_${mode}_ or rk_${mode}_`;
}
