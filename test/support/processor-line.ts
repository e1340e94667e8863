import type { CardProcessor } from '../../src/ports/card-processor.ts';

/** The line to a processor, which a test can cut open: before a call arrives, or before its answer is back. */
export interface ProcessorLine {
  processor: CardProcessor;
  /** The next authorization waits on its way there. Resolves when it is waiting; the function lets it go on. */
  holdNextCall(): Promise<() => void>;
  /** The answer of the next authorization waits on its way back. */
  holdNextAnswer(): Promise<() => void>;
}

export function lineTo(processor: CardProcessor): ProcessorLine {
  const held: Record<'call' | 'answer', ((letGo: () => void) => void)[]> = { call: [], answer: [] };

  async function pass(direction: 'call' | 'answer'): Promise<void> {
    const waiting = held[direction].shift();
    if (waiting) await new Promise<void>((letGo) => waiting(letGo));
  }

  const hold = (direction: 'call' | 'answer') => new Promise<() => void>((waiting) => held[direction].push(waiting));
  return {
    processor: {
      ...processor,
      // Like a line, it does not hear that its caller has hung up.
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
