import type { CardProcessor } from '../../src/ports/card-processor.ts';
import type { TestPlatform } from './platform.ts';

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

/**
 * Runs calls that no processor answers with a short limit for its answers. All other calls keep the limit of production,
 * which none exceeds on a slow machine.
 */
export async function withShortTimeout<Result>(
  { services }: TestPlatform,
  run: () => Promise<Result>,
  processorTimeoutMs = 300,
): Promise<Result> {
  const { config } = services;
  services.config = { ...config, processorTimeoutMs };
  try {
    return await run();
  } finally {
    services.config = config;
  }
}
