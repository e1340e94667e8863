import { describe, expect, test } from 'vitest';
import { newId } from '../../../src/lib/ids.ts';
import {
  type Authorization,
  type CardProcessor,
  clearCard,
  type Outcome,
  type ProcessorConnection,
  processorConnection,
  ReferenceReused,
} from '../../../src/ports/card-processor.ts';

/** A transaction id, as the platform generates them. */
export function newReference(): string {
  return newId('txn_', new Date());
}

/** Card numbers that cause each outcome at the processor under test. */
export interface SuiteCards {
  approved: string;
  declined: string;
  challenged: string;
}

/** The record of a processor with an empty configuration, or with this one. */
export function connectionWith(
  options: ProcessorConnection['options'] = {},
  secrets: ProcessorConnection['secrets'] = {},
): ProcessorConnection {
  return processorConnection({ id: 'proc_suite', options, secrets });
}

/** A processor whose calls are all made for one record. */
type Calls = Omit<CardProcessor, 'readEvent'>;
export type ConnectedProcessor = {
  [Name in keyof Calls]: (call: Omit<Parameters<Calls[Name]>[0], 'processor'>) => ReturnType<Calls[Name]>;
};

/** The calls of a processor that are made for one record. */
export const callNames = [
  'authorize',
  'continueAuthorization',
  'find',
  'capture',
  'void',
  'refund',
  'findModification',
] as const satisfies readonly (keyof Calls)[];

export function connected(port: CardProcessor, connection: ProcessorConnection = connectionWith()): ConnectedProcessor {
  // adds the connection to the request of each call
  const calls = callNames.map((name) => [
    name,
    (call: object) => port[name]({ ...call, processor: connection } as never),
  ]);
  return Object.fromEntries(calls) as ConnectedProcessor; // of every name above
}

export function authorizationOf(cardNumber: string, change: Partial<Authorization> = {}): Authorization {
  return {
    processor: connectionWith(),
    reference: newReference(),
    amount: 1999,
    currency: 'EUR',
    card: clearCard({ cardNumber, expMonth: 12, expYear: 2030, cvc: '123' }),
    capture: true,
    merchantInitiated: false,
    threeDs: 'automatic',
    returnUrl: 'https://example.com/back',
    ...change,
  };
}

/** The processor's reference of an approved charge. */
export function approvedReference(outcome: Outcome): string {
  if (outcome.result !== 'approved') throw new Error(`Expected an approval, got ${outcome.result}.`);
  return outcome.processorReference;
}

export interface SuiteOptions {
  connection?: ProcessorConnection;
  /** Answers a challenge where the cardholder does, if that is at the processor. */
  answer?(url: string | null, authentication: 'succeeded' | 'failed'): Promise<unknown>;
  /** Whether a repeated call returns the first answer, regardless of later changes. */
  keepsFirstAnswer?: boolean;
}

/** The requirements for every processor behind the port. */
export function describeCardProcessor(
  name: string,
  processorUnderTest: () => CardProcessor,
  cards: SuiteCards,
  { connection, answer = async () => {}, keepsFirstAnswer = false }: SuiteOptions = {},
): void {
  const processor = (): ConnectedProcessor => connected(processorUnderTest(), connection);

  async function charged(change: Partial<Authorization> = {}) {
    return approvedReference(await processor().authorize(authorizationOf(cards.approved, change)));
  }

  const modify = (authorizationReference: string, amount: number, reference = newReference()) => ({
    reference,
    authorizationReference,
    amount,
    currency: 'EUR',
  });

  const challenge = async (requested: Authorization): Promise<string | null> => {
    const outcome = await processor().authorize(requested);
    if (outcome.result !== 'challenge') throw new Error(`Expected a challenge, got ${outcome.result}.`);
    return outcome.url;
  };

  describe(`${name} implements the port: authorizing`, () => {
    test.each([
      ['approved'],
      ['declined'],
      ['challenged'],
    ] as const)('the same reference has the same outcome again (%s), and find returns it', async (card) => {
      const requested = authorizationOf(cards[card]);
      const first = await processor().authorize(requested);
      expect(first.result).toBe({ approved: 'approved', declined: 'declined', challenged: 'challenge' }[card]);
      expect(await processor().authorize(requested)).toEqual(first);
      expect(await processor().find(requested)).toEqual(first);
    });

    test('the same reference many times at once has one outcome', async () => {
      const requested = authorizationOf(cards.approved);
      const outcomes = await Promise.all(Array.from({ length: 12 }, () => processor().authorize(requested)));
      expect(new Set(outcomes.map((outcome) => JSON.stringify(outcome))).size).toBe(1);
    });

    test.each([
      [{ amount: 2000 }],
      [{ currency: 'USD' }],
      [{ capture: false }],
    ])('the same reference with %j instead is rejected and changes nothing', async (change) => {
      const requested = authorizationOf(cards.approved);
      const first = await processor().authorize(requested);
      await expect(processor().authorize({ ...requested, ...change })).rejects.toThrow(ReferenceReused);
      expect(await processor().find(requested)).toEqual(first);
    });

    test('a call that never arrived is unknown', async () => {
      expect(await processor().find({ reference: newReference() })).toEqual({ result: 'unseen' });
      for (const [type, capture] of [
        ['capture', false],
        ['void', false],
        ['refund', true],
      ] as const) {
        const authorizationReference = await charged({ capture });
        expect(await processor().findModification({ reference: newReference(), type, authorizationReference })).toEqual(
          {
            result: 'unseen',
          },
        );
      }
    });

    test('a decline has a code of the contract and a sentence', async () => {
      expect(await processor().authorize(authorizationOf(cards.declined))).toMatchObject({
        failureCode: 'card_declined',
        failureMessage: expect.stringMatching(/\.$/),
        hard: false,
      });
    });
  });

  describe(`${name} implements the port: a challenge`, () => {
    test('once passed is approved, once failed is declined, and find returns it', async () => {
      for (const [authentication, expected] of [
        ['succeeded', { result: 'approved' }],
        ['failed', { result: 'declined', failureCode: 'authentication_failed', hard: true }],
      ] as const) {
        const requested = authorizationOf(cards.challenged);
        await answer(await challenge(requested), authentication);
        const outcome = await processor().continueAuthorization({ reference: requested.reference, authentication });
        expect(outcome).toMatchObject(expected);
        expect(await processor().find(requested)).toEqual(outcome);
        if (!keepsFirstAnswer) expect(await processor().authorize(requested)).toEqual(outcome);
      }
    });

    test('answered twice at once, and in two ways, is decided once', async () => {
      const requested = authorizationOf(cards.challenged);
      const url = await challenge(requested);
      const outcomes = await Promise.all(
        (['succeeded', 'failed', 'succeeded', 'failed'] as const).map(async (authentication) => {
          await answer(url, authentication);
          return processor().continueAuthorization({ reference: requested.reference, authentication });
        }),
      );
      expect(new Set(outcomes.map((outcome) => JSON.stringify(outcome))).size).toBe(1);
    });
  });

  describe(`${name} implements the port: modifications`, () => {
    test('an authorization is captured once, in part or whole, and not above', async () => {
      const held = await charged({ capture: false });
      expect(await processor().capture(modify(held, 2000))).toMatchObject({ result: 'refused' });
      expect(await processor().capture(modify(held, 1999))).toMatchObject({ result: 'approved' });
      expect(await processor().capture(modify(held, 1))).toMatchObject({ result: 'refused' });
    });

    test('an authorization is voided once, and not captured after', async () => {
      const held = await charged({ capture: false });
      expect(await processor().void(modify(held, 1999))).toMatchObject({ result: 'approved' });
      expect(await processor().void(modify(held, 1999))).toMatchObject({ result: 'refused' });
      expect(await processor().capture(modify(held, 1999))).toMatchObject({ result: 'refused' });
    });

    test('a captured payment is not voided', async () => {
      expect(await processor().void(modify(await charged(), 1999))).toMatchObject({ result: 'refused' });
    });

    test('a captured amount is refunded in parts up to the whole, and not above', async () => {
      const captured = await charged();
      expect(await processor().refund(modify(captured, 1000))).toMatchObject({ result: 'approved' });
      expect(await processor().refund(modify(captured, 1000))).toMatchObject({ result: 'refused' });
      expect(await processor().refund(modify(captured, 999))).toMatchObject({ result: 'approved' });
      expect(await processor().refund(modify(captured, 1))).toMatchObject({ result: 'refused' });
    });

    test('an authorization is not refunded', async () => {
      expect(await processor().refund(modify(await charged({ capture: false }), 1))).toMatchObject({
        result: 'refused',
      });
    });

    test('concurrent refunds never exceed the captured amount', async () => {
      const captured = await charged();
      const outcomes = await Promise.all(Array.from({ length: 4 }, () => processor().refund(modify(captured, 600))));
      expect(outcomes.filter((outcome) => outcome.result === 'approved')).toHaveLength(3);
    });

    test('the same reference at once and again is posted once, and find returns it', async () => {
      const captured = await charged();
      const requested = modify(captured, 1500);
      const outcomes = await Promise.all(Array.from({ length: 4 }, () => processor().refund(requested)));
      expect(
        new Set(
          [...outcomes, await processor().findModification({ ...requested, type: 'refund' })].map((outcome) =>
            JSON.stringify(outcome),
          ),
        ).size,
      ).toBe(1);
      expect(await processor().refund(modify(captured, 499))).toMatchObject({ result: 'approved' });
    });

    test('a rejection is stored under its reference', async () => {
      const held = await charged({ capture: false });
      const early = modify(held, 500);
      expect(await processor().refund(early)).toMatchObject({ result: 'refused' });
      await processor().capture(modify(held, 1999));
      expect(await processor().refund(early)).toMatchObject({ result: 'refused' });
      // A processor that does not store a rejection receives the call again and rejects it again.
      expect(['refused', 'unseen']).toContain(
        (await processor().findModification({ ...early, type: 'refund' })).result,
      );
    });

    test('the same reference for another modification is rejected and changes nothing', async () => {
      const captured = await charged();
      const requested = modify(captured, 100);
      await processor().refund(requested);
      await expect(processor().refund({ ...requested, amount: 200 })).rejects.toThrow(ReferenceReused);
      await expect(processor().capture(requested)).rejects.toThrow(ReferenceReused);
    });

    test('another currency is rejected', async () => {
      expect(await processor().refund({ ...modify(await charged(), 100), currency: 'USD' })).toMatchObject({
        result: 'refused',
      });
    });
  });
}
