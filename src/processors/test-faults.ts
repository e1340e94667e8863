import { createHash } from 'node:crypto';
import { declineCodes, type DeclineCode } from '../ports/card-processor.ts';

/** What can be made to go wrong at one record of the test processor, so that integrators can rehearse it. */
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

/** The switches as options of the processor. */
export const faultOptions = {
  latencyMs: {
    description: `How long it takes to answer charges, captures, voids and refunds, 0 to ${latencyMaxMs} ms. It books at once; above the server's time limit for a call the outcome is unknown until it is asked about.`,
    refusalOf: (value: unknown) =>
      Number.isInteger(value) && (value as number) >= 0 && (value as number) <= latencyMaxMs
        ? null
        : `must be a whole number from 0 to ${latencyMaxMs}`, // isInteger lets numbers alone pass
  },
  declineRate: { description: 'The share of charges it declines, 0 to 1, whatever the card.', refusalOf: rateRefusal },
  declineCode: {
    description: `Why it declines those: \`${declineCodes.join('`, `')}\`; \`card_declined\` when left out. Soft ones let a cascade go on.`,
    refusalOf: (value: unknown) =>
      declineCodes.some((code) => code === value) ? null : `must be one of ${declineCodes.join(', ')}`,
  },
  errorRate: {
    description:
      'The share of charges, captures, voids and refunds it answers with an error, 0 to 1. It books nothing for them, and a cascade goes on.',
    refusalOf: rateRefusal,
  },
  lostAnswerRate: {
    description:
      'The share of charges, captures, voids and refunds it books without its answer arriving, 0 to 1: their outcome is unknown until it is asked about.',
    refusalOf: rateRefusal,
  },
  down: {
    description:
      'Whether nothing arrives there, no question either: what was begun stays in processing until it is up again.',
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

/** The switches of a record. Its options were checked when they were set. */
export function faultsOf(options: Readonly<Record<string, unknown>>): TestFaults {
  return { ...none, ...(options as Partial<TestFaults>) };
}

/** Whether a switch hits a call: the same for the same reference, so that a call that is sent again fares as it did. */
export function hits(rate: number, faultName: 'decline' | 'error' | 'lostAnswer', reference: string): boolean {
  if (rate <= 0) return false;
  return createHash('sha256').update(`${faultName}:${reference}`).digest().readUIntBE(0, 6) / 2 ** 48 < rate;
}
