import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** One recorded request to an endpoint, and the response of a running platform. */
export interface Example {
  params?: Record<string, string>;
  body?: unknown;
  answer: unknown;
}

/** Examples by the name of the operation. */
export type Examples = Readonly<Record<string, Example>>;

/**
 * Reads the recorded requests of a scenario in which a partner uses every endpoint. A test runs the scenario again and
 * compares the responses with the file.
 */
export function readExamples(): Examples {
  // written by test/rest/examples.test.ts only
  return JSON.parse(readFileSync(join(import.meta.dirname, '..', 'examples.json'), 'utf8')) as Examples;
}

/**
 * The identifiers of the scenario that have a counterpart in the demo tenant. They are replaced by those of the demo
 * tenant, so that requests from the API reference find existing rows.
 */
export function sharedIds(
  examples: Examples,
): Record<'accountId' | 'storeId' | 'paymentInstrumentId', string | undefined> {
  return {
    accountId: examples['GetAccount']?.params?.['accountId'],
    storeId: examples['UpdateStore']?.params?.['storeId'],
    paymentInstrumentId: examples['GetPaymentInstrument']?.params?.['paymentInstrumentId'],
  };
}
