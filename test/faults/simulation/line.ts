import { type CardProcessor, UnknownOutcome } from '../../../src/ports/card-processor.ts';
import { type ProcessorConnection, processorConnection } from '../../../src/ports/processor-connection.ts';

/** What happens to a call on its way to the processor and back. */
export type Fate = 'answered' | 'twice' | 'answerLost' | 'neverArrives' | 'arrivesLater';

const calls = ['authorize', 'continueAuthorization', 'capture', 'void', 'refund', 'find', 'findFollowUp'] as const;
type Call = (typeof calls)[number];
interface Question {
  reference: string;
  processor: ProcessorConnection;
}
type Ask = (question: Question) => Promise<unknown>;

/** One call as it arrived at a processor. */
export interface Arrival {
  call: Call;
  reference: string;
  processorId: string;
}

interface Weather {
  fateOf(call: Call): Fate;
  /** Lets the time of a slow answer pass on the clock of the run. True when the caller does not wait that long. */
  isTooSlow(latencyMs: number): boolean;
}

/** Puts a line that loses, delays and repeats calls between a platform and one of its processors. */
export function unreliableLine(
  processors: Map<string, CardProcessor>,
  type: string,
  { fateOf, isTooSlow }: Weather,
): { pending(): number; deliver(at: number): Promise<void>; takeArrivals(): Arrival[] } {
  const real = processors.get(type);
  if (!real) throw new Error(`There is no processor of type ${type}.`);
  const onTheirWay: (() => Promise<unknown>)[] = [];
  const arrivals: Arrival[] = [];
  const line = (call: Call): Ask => {
    const book = real[call].bind(real) as Ask; // every call takes an object with a reference
    const ask: Ask = (question) => {
      const { reference, processor } = question;
      arrivals.push({ call, reference, processorId: processor.id });
      return book({
        ...question,
        processor: processorConnection({ ...processor, options: { ...processor.options, latencyMs: 0 }, secrets: {} }),
      });
    };
    return async (question) => {
      const fate = fateOf(call);
      const { latencyMs } = question.processor.options;
      // The caller stops waiting for this one; what arrives later arrives without it.
      const later = { ...question, signal: undefined };
      if (fate === 'twice') await ask(later);
      if (fate === 'arrivesLater') onTheirWay.push(() => ask(later));
      if (fate === 'neverArrives' || fate === 'arrivesLater')
        throw new UnknownOutcome(question.reference, 'the line is down');
      const answer = await ask(question);
      if (fate === 'answerLost') throw new UnknownOutcome(question.reference, 'the answer was lost');
      if (call !== 'find' && call !== 'findFollowUp' && typeof latencyMs === 'number' && isTooSlow(latencyMs))
        throw new UnknownOutcome(question.reference, 'the answer came too late');
      return answer;
    };
  };
  processors.set(type, { ...real, ...Object.fromEntries(calls.map((call) => [call, line(call)])) });
  return {
    pending: () => onTheirWay.length,
    async deliver(at) {
      const [arrival] = onTheirWay.splice(at, 1);
      // What is refused that late is the processor's business: nobody hears the answer.
      await arrival?.().catch(() => {});
    },
    takeArrivals: () => arrivals.splice(0),
  };
}
