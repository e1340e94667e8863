import { expect } from 'vitest';

export interface EventNow {
  objectId: string;
  sequence: number;
  type: string;
  state: string;
}

export interface Seen {
  state: string;
  sequence: number;
}

/**
 * Follows objects by their events. Each event must have the next sequence, and its transition must be one the contract
 * allows.
 */
export function followStates(mayBecome: Readonly<Record<string, readonly string[]>>) {
  const seen = new Map<string, Seen>();

  function followSequences(events: readonly EventNow[]): void {
    for (const { objectId, sequence, state, type } of events) {
      expect(sequence, `${objectId}, ${type}: one event a change, without a gap`).toBe(
        (seen.get(objectId)?.sequence ?? 0) + 1,
      );
      seen.set(objectId, { state, sequence });
    }
  }

  return {
    seen,
    followSequences,
    /** `mayRepeat`: events that do not change the state. */
    follow(events: readonly EventNow[], mayRepeat: readonly string[] = []): void {
      for (const event of events) {
        const { state } = seen.get(event.objectId) ?? { state: 'none' };
        if (state !== 'none' && !(mayRepeat.includes(event.type) && state === event.state))
          expect(mayBecome[state] ?? [], `${event.objectId} from ${state} by ${event.type}`).toContain(event.state);
        followSequences([event]);
      }
    },
  };
}

export type Following = ReturnType<typeof followStates>;
