import { type CardProcessor, UnknownOutcome } from '../../src/ports/card-processor.ts';
import type { TestPlatform } from './platform.ts';

export type Call = 'authorize' | 'capture' | 'void' | 'refund' | 'find' | 'findFollowUp';
/** What happens to one call: nothing unusual; booked there and its answer lost; lost before it arrives. */
export type Fate = 'answered' | 'answerLost' | 'neverArrived';

/** Puts a line that loses things between a platform and its test processor. `fateOf` decides call by call. Counts what was asked. */
export function loseAnswers(
  platform: TestPlatform,
  fateOf: (call: Call, reference: string) => Fate,
): Record<Call, number> {
  const processors = platform.env.processors as Map<string, CardProcessor>; // a Map in truth; only the server is not to change it
  const real = processors.get('test');
  if (!real) throw new Error('There is no test processor.');
  const asked: Record<Call, number> = { authorize: 0, capture: 0, void: 0, refund: 0, find: 0, findFollowUp: 0 };
  const line = (call: Call) => async (question: { reference: string }) => {
    asked[call]++;
    const fate = fateOf(call, question.reference);
    if (fate === 'neverArrived') throw new UnknownOutcome(question.reference, 'the line is down');
    const answer = await (real[call] as (question: unknown) => Promise<never>)(question); // every call takes an object with a reference
    if (fate === 'answerLost') throw new UnknownOutcome(question.reference, 'the answer was lost');
    return answer;
  };
  const calls: Call[] = ['authorize', 'capture', 'void', 'refund', 'find', 'findFollowUp'];
  processors.set('test', { ...real, ...Object.fromEntries(calls.map((call) => [call, line(call)])) });
  return asked;
}
