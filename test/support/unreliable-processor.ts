import { type CardProcessor, UnknownOutcome } from '../../src/ports/card-processor.ts';
import type { TestPlatform } from './platform.ts';

export type Call = 'authorize' | 'capture' | 'void' | 'refund' | 'find' | 'findModification';
/** The fate of one call: answered; executed with its answer lost; lost before it arrived. */
export type FaultKind = 'answered' | 'answerLost' | 'neverArrived';

/**
 * Inserts an unreliable connection between a platform and its test processor. `fateOf` decides for each call. Returns
 * the number of calls.
 */
export function withLostAnswers(
  platform: TestPlatform,
  fateOf: (call: Call, reference: string, cardNumber: string | null) => FaultKind,
): Record<Call, number> {
  // a Map at run time; only the server must not change it
  const processors = platform.services.processors as Map<string, CardProcessor>;
  const real = processors.get('test');
  if (!real) throw new Error('There is no test processor.');
  const requested: Record<Call, number> = {
    authorize: 0,
    capture: 0,
    void: 0,
    refund: 0,
    find: 0,
    findModification: 0,
  };
  const connection = (call: Call) => async (question: { reference: string; card?: { cardNumber: string } }) => {
    requested[call]++;
    const fate = fateOf(call, question.reference, question.card?.cardNumber ?? null);
    if (fate === 'neverArrived') throw new UnknownOutcome(question.reference, 'the connection is down');
    // every call takes an object with a reference
    const answer = await (real[call] as (question: unknown) => Promise<never>)(question);
    if (fate === 'answerLost') throw new UnknownOutcome(question.reference, 'the answer was lost');
    return answer;
  };
  const calls: Call[] = ['authorize', 'capture', 'void', 'refund', 'find', 'findModification'];
  processors.set('test', { ...real, ...Object.fromEntries(calls.map((call) => [call, connection(call)])) });
  return requested;
}
