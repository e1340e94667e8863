import { createHash } from 'node:crypto';
import { type DeclineCode, declineCodes } from './card-processor.ts';

/** The faults that a test processor can simulate, so that integrators can test how they handle them. */
export interface TestFaults {
  latencyMs: number;
  declineRate: number;
  declineCode: DeclineCode;
  errorRate: number;
  lostAnswerRate: number;
  down: boolean;
}

const latencyMaxMs = 30_000;
const rateRefusal = (value: unknown): string | null =>
  typeof value === 'number' && value >= 0 && value <= 1 ? null : 'must be a number from 0 to 1';

/** The fault options of the processor. */
export const faultOptions = {
  latencyMs: {
    description:
      `The delay of the answer to charges, captures, voids and refunds, from 0 to ${latencyMaxMs} ms. They are ` +
      'recorded at once. If the delay exceeds the timeout of the platform, the outcome is unknown until resolved.',
    refusalOf: (value: unknown) =>
      Number.isInteger(value) && (value as number) >= 0 && (value as number) <= latencyMaxMs
        ? null
        : `must be a whole number from 0 to ${latencyMaxMs}`, // isInteger is true for numbers only
  },
  declineRate: {
    description: 'The share of charges that are declined, from 0 to 1, regardless of the card.',
    refusalOf: rateRefusal,
  },
  declineCode: {
    description:
      `The decline code of those charges: \`${declineCodes.join('`, `')}\`. The default is \`card_declined\`. A ` +
      'cascade continues after a soft decline.',
    refusalOf: (value: unknown) =>
      declineCodes.some((code) => code === value) ? null : `must be one of ${declineCodes.join(', ')}`,
  },
  errorRate: {
    description:
      'The share of charges, captures, voids and refunds that fail with an error, from 0 to 1. Nothing is charged, ' +
      'captured, voided or refunded, and a cascade continues.',
    refusalOf: rateRefusal,
  },
  lostAnswerRate: {
    description:
      'The share of charges, captures, voids and refunds that are recorded but whose answer is lost, from 0 to 1. ' +
      'Their outcome is unknown until it is resolved.',
    refusalOf: rateRefusal,
  },
  down: {
    description:
      'Whether the processor is unreachable, including for queries. Payments in progress remain in processing until ' +
      'it is reachable again.',
    refusalOf: (value: unknown) => (typeof value === 'boolean' ? null : 'must be true or false'),
  },
} as const;

const none: TestFaults = {
  latencyMs: 0,
  declineRate: 0,
  declineCode: 'card_declined',
  errorRate: 0,
  lostAnswerRate: 0,
  down: false,
};

/** The fault options of a processor. Its options were validated when they were set. */
export function faultsOf(options: Readonly<Record<string, unknown>>): TestFaults {
  return { ...none, ...(options as Partial<TestFaults>) };
}

/** Whether a fault applies to a call. The result depends on the reference only, so that a retry has the same result. */
export function hits(rate: number, faultName: 'decline' | 'error' | 'lostAnswer', reference: string): boolean {
  if (rate <= 0) return false;
  return createHash('sha256').update(`${faultName}:${reference}`).digest().readUIntBE(0, 6) / 2 ** 48 < rate;
}
