import { type CardProcessor, UnknownOutcome } from '../../../src/ports/card-processor.ts';

/** What happens to a call on its way to the processor and back. */
export type Fate = 'answered' | 'twice' | 'answerLost' | 'neverArrives' | 'arrivesLater';

const calls = ['authorize', 'continueAuthorization', 'capture', 'void', 'refund', 'find', 'findFollowUp'] as const;
type Ask = (question: { reference: string }) => Promise<unknown>;

/** Puts a line that loses, delays and repeats calls between a platform and one of its processors. */
export function unreliableLine(processors: Map<string, CardProcessor>, type: string, fateOf: (call: (typeof calls)[number]) => Fate): { pending(): number; deliver(at: number): Promise<void> } {
  const real = processors.get(type);
  if (!real) throw new Error(`There is no processor of type ${type}.`);
  const onTheirWay: (() => Promise<unknown>)[] = [];
  const line = (call: (typeof calls)[number]): Ask => {
    const ask = real[call].bind(real) as Ask; // every call takes an object with a reference
    return async (question) => {
      const fate = fateOf(call);
      // The caller stops waiting for this one; what arrives later arrives without it.
      const later = { ...question, signal: undefined };
      if (fate === 'twice') await ask(later);
      if (fate === 'arrivesLater') onTheirWay.push(() => ask(later));
      if (fate === 'neverArrives' || fate === 'arrivesLater') throw new UnknownOutcome(question.reference, 'the line is down');
      const answer = await ask(question);
      if (fate === 'answerLost') throw new UnknownOutcome(question.reference, 'the answer was lost');
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
  };
}
