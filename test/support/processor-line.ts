import type { CardProcessor } from '../../src/ports/card-processor.ts';

/** The connection to a processor, which a test can interrupt before a call arrives or before its answer does. */
export interface DelayedProcessor {
  processor: CardProcessor;
  /** Delays the next authorization before it arrives. Resolves once it is waiting; the function releases it. */
  holdNextCall(): Promise<() => void>;
  /** Delays the answer of the next authorization. */
  holdNextAnswer(): Promise<() => void>;
}

export function delayedProcessor(processor: CardProcessor): DelayedProcessor {
  const held: Record<'call' | 'answer', ((release: () => void) => void)[]> = { call: [], answer: [] };

  async function pass(direction: 'call' | 'answer'): Promise<void> {
    const waiting = held[direction].shift();
    if (waiting) await new Promise<void>((release) => waiting(release));
  }

  const hold = (direction: 'call' | 'answer') => new Promise<() => void>((waiting) => held[direction].push(waiting));
  return {
    processor: {
      ...processor,
      // A connection does not notify the processor that the caller has disconnected.
      async authorize({ signal: _signal, card, ...authorization }) {
        await pass('call');
        const outcome = await processor.authorize({ ...authorization, card });
        await pass('answer');
        return outcome;
      },
    },
    holdNextCall: () => hold('call'),
    holdNextAnswer: () => hold('answer'),
  };
}
