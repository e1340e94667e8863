import {
  type CardProcessor,
  type ProcessorConnection,
  processorConnection,
  UnknownOutcome,
} from '../../../src/ports/card-processor.ts';

/** What happens to a call on its way to the processor and back. */
export type FaultKind = 'answered' | 'twice' | 'answerLost' | 'neverArrives' | 'arrivesLater';

const calls = ['authorize', 'continueAuthorization', 'capture', 'void', 'refund', 'find', 'findModification'] as const;
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

/**
 * A call that has been on its way for longer is lost. What a processor has not seen for ten minutes counts as not sent
 * where it may not be sent any more, as after the cancellation of a subscription (src/domains/payments/payment/policy.ts).
 */
const lateMaxMs = 60_000;

interface NetworkConditions {
  now(): Date;
  fateOf(call: Call): FaultKind;
  /** Advances the clock of the run by the latency of a slow answer. Returns true if the caller has timed out. */
  isTooSlow(latencyMs: number): boolean;
}

/** Inserts a connection that loses, delays and repeats calls between a platform and one of its processors. */
export function unreliableConnection(
  processors: Map<string, CardProcessor>,
  type: string,
  { now, fateOf, isTooSlow }: NetworkConditions,
): { pending(): number; deliver(at: number): Promise<void>; takeArrivals(): Arrival[] } {
  const real = processors.get(type);
  if (!real) throw new Error(`There is no processor of type ${type}.`);
  const delayed: { sentAt: number; arrive: () => Promise<unknown> }[] = [];
  const arrivals: Arrival[] = [];
  const connection = (call: Call): Ask => {
    const callProcessor = real[call].bind(real) as Ask; // every call takes an object with a reference
    const ask: Ask = (question) => {
      const { reference, processor } = question;
      arrivals.push({ call, reference, processorId: processor.id });
      return callProcessor({
        ...question,
        processor: processorConnection({ ...processor, options: { ...processor.options, latencyMs: 0 }, secrets: {} }),
      });
    };
    return async (question) => {
      const fate = fateOf(call);
      const { latencyMs } = question.processor.options;
      // A call that arrives after the caller timed out has no abort signal.
      const later = { ...question, signal: undefined };
      if (fate === 'twice') await ask(later);
      if (fate === 'arrivesLater') delayed.push({ sentAt: now().getTime(), arrive: () => ask(later) });
      if (fate === 'neverArrives' || fate === 'arrivesLater')
        throw new UnknownOutcome(question.reference, 'the connection is down');
      const answer = await ask(question);
      if (fate === 'answerLost') throw new UnknownOutcome(question.reference, 'the answer was lost');
      if (call !== 'find' && call !== 'findModification' && typeof latencyMs === 'number' && isTooSlow(latencyMs))
        throw new UnknownOutcome(question.reference, 'the answer came too late');
      return answer;
    };
  };
  processors.set(type, { ...real, ...Object.fromEntries(calls.map((call) => [call, connection(call)])) });
  return {
    pending: () => delayed.length,
    async deliver(at) {
      const [arrival] = delayed.splice(at, 1);
      // An error this late concerns only the processor: the caller no longer waits for the answer.
      if (arrival && now().getTime() - arrival.sentAt < lateMaxMs) await arrival.arrive().catch(() => {});
    },
    takeArrivals: () => arrivals.splice(0),
  };
}
