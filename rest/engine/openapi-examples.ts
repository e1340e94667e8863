import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** One call of an endpoint as it happened: what was sent, and what a running platform answered. */
export interface Example {
  params?: Record<string, string>;
  body?: unknown;
  answer: unknown;
}

/** By the name of the operation. */
export type Examples = Readonly<Record<string, Example>>;

/** The calls of one story in which a partner uses every endpoint. A test tells it again and holds the file against what it hears. */
export function readExamples(): Examples {
  return JSON.parse(readFileSync(join(import.meta.dirname, '..', 'examples.json'), 'utf8')) as Examples; // written by test/contract/examples.test.ts only
}

/** The identifiers of the story that a demo tenant has, too: with its own in their place the reader's calls meet rows that are there. */
export function sharedIds(
  examples: Examples,
): Record<'accountId' | 'storeId' | 'paymentInstrumentId', string | undefined> {
  return {
    accountId: examples['GetAccount']?.params?.['accountId'],
    storeId: examples['UpdateStore']?.params?.['storeId'],
    paymentInstrumentId: examples['GetPaymentInstrument']?.params?.['paymentInstrumentId'],
  };
}
